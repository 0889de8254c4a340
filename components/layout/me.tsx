"use client";

import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import type { Me, Role } from "@/lib/api/contract";
import { queries } from "@/lib/client";

const RoleContext = createContext<string | undefined>(undefined);

/** The role that the server drew the page for: known before anything has been fetched. */
export function RoleProvider({ role, children }: { role: string; children: ReactNode }) {
  return <RoleContext value={role}>{children}</RoleContext>;
}

/** Who is signed in and what they may do; undefined until it is known. */
export function useMe(): Me | undefined {
  return useQuery(queries.me()).data;
}

const NEEDED = { edit: "operator", control: "operator", administer: "administrator" } as const satisfies Partial<
  Record<keyof Me["can"], Role>
>;
const ORDER: readonly string[] = ["viewer", "operator", "administrator"] satisfies Role[];

/** Why a button is disabled for this person; undefined when it is not. The server decides again on every request. */
export function useRefusal(right: keyof typeof NEEDED): string | undefined {
  const me = useMe();
  const role = useContext(RoleContext);
  const needed = NEEDED[right];
  const allowed = me ? me.can[right] : role === undefined || ORDER.indexOf(role) >= ORDER.indexOf(needed);
  return allowed ? undefined : `Needs the role ${needed}`;
}
