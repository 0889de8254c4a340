import type { Role } from "@/lib/api/contract";

/** From the least to the most. */
export const ROLES: readonly Role[] = ["none", "viewer", "operator", "administrator"];

export const ROLE_MEANING: Record<Role, string> = {
  none: "only what is bound to them below",
  viewer: "sees everything except secrets",
  operator: "also declares, edits, pauses and reconciles",
  administrator: "also manages accounts and pauses whole kinds",
};

/** A role from a form; the least of them when it is not one. */
export function roleOf(text: string): Role {
  return ROLES.find((role) => role === text) ?? "none";
}

/** As in `lib/auth`: shorter passwords are refused there. */
export const SHORTEST_PASSWORD = 12;
