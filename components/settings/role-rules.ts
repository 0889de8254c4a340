import type { RoleEntry } from "@/lib/api/contract";
import { ALL_RIGHTS, RIGHTS, type Rights, rightsOf } from "./token-scope";

/** What a rule of a role can grant, in the words of the form. */
export const RULE_RIGHTS: Record<Rights, string> = {
  read: RIGHTS.read.label,
  control: RIGHTS.control.label,
  edit: RIGHTS.edit.label,
  all: "everything, accounts and roles included",
};

/** The rules that a form with so many rows says. */
export function rulesOf(rows: number, text: (name: string) => string): RoleEntry["rules"] {
  return Array.from({ length: rows }, (_, row) => ({
    verbs: [...RIGHTS[rightsOf(text(`rights-${row}`))].verbs],
    kinds: [text(`kind-${row}`) || "*"],
  }));
}

/** "read: configfiles; read, pause, resume and reconcile: all kinds". */
export function rulesText(rules: RoleEntry["rules"]): string {
  return rules
    .map(({ verbs, kinds }) => {
      const known = ALL_RIGHTS.find((rights) => [...RIGHTS[rights].verbs].sort().join() === [...verbs].sort().join());
      return `${known ? RULE_RIGHTS[known] : verbs.join(", ")}: ${kinds.includes("*") ? "all kinds" : kinds.join(", ")}`;
    })
    .join("; ");
}
