"use client";

import { useQuery } from "@tanstack/react-query";
import type { Me, Role } from "@/lib/api/contract";
import { queries } from "@/lib/client";

/** Who is signed in and what they may do; undefined until it is known. */
export function useMe(): Me | undefined {
  return useQuery(queries.me()).data;
}

const NEEDED: Record<keyof Me["can"], Role> = { edit: "operator", control: "operator", administer: "administrator" };

/** Why a button is disabled for this person; undefined when it is not (or when it is not known yet: the server decides anyway). */
export function useRefusal(right: keyof Me["can"]): string | undefined {
  const me = useMe();
  return me && !me.can[right] ? `Needs the role ${NEEDED[right]}` : undefined;
}
