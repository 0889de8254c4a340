import type { PlanAnswer } from "@/lib/api/contract";

function count(amount: number, one: string, many: string): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

/** A preview in one sentence. */
export function summaryOf(
  { actions, blocked, specChanges = [] }: Pick<PlanAnswer, "actions" | "blocked" | "specChanges">,
  creating: boolean,
): string {
  const saved = creating
    ? "Saving creates it"
    : specChanges.length === 0
      ? "Saving changes no field of the spec"
      : `Saving changes ${count(specChanges.length, "field", "fields")}`;
  if (blocked) return `${saved}; something would be in the way.`;
  if (actions.length === 0) return `${saved}; nothing has to be done.`;
  const deletes = actions.filter((action) => action.effect === "delete").length;
  const plan = count(actions.length, "action follows", "actions follow");
  return `${saved}; ${plan}${deletes > 0 ? `, ${deletes} of which ${deletes === 1 ? "removes" : "remove"} something` : ""}.`;
}
