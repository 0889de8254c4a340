/** Whether waiting is over, from one look at an object. Pure. */
import { at, isMap, numberAt, textAt } from "./objects";

export type Goal = "converged" | "deleted";

export type Verdict = { over: false; why: string } | { over: true; reached: boolean; why: string };

const reached = (why: string): Verdict => ({ over: true, reached: true, why });
const failed = (why: string): Verdict => ({ over: true, reached: false, why });
const notYet = (why: string): Verdict => ({ over: false, why });

/**
 * `item` is undefined when it is not there. `generation` is the one that is waited for. Converged counts only when it is that generation
 * that was looked at, recently enough; what nobody looks at, what is stuck and what nobody will act on ends the wait.
 */
export function verdictOf(item: unknown, goal: Goal, generation: number | undefined): Verdict {
  if (item === undefined) return goal === "deleted" ? reached("deleted") : failed("it is not there");
  const state = textAt(item, "view.state");
  const words = [textAt(item, "view.reason"), textAt(item, "view.message")].filter((text) => text !== "").join(": ");
  if (goal === "converged") {
    const current = numberAt(item, "metadata.generation");
    if (generation !== undefined && current !== undefined && current > generation)
      return failed(`wrong generation: ${generation} was waited for, and it is ${current} now`);
    if (textAt(item, "metadata.deletionTimestamp") !== "") return failed("it is being deleted");
    const seen = numberAt(item, "status.observedGeneration");
    const meant = generation === undefined || current === generation;
    if (state === "Converged" && meant && seen === current) return reached(`converged at generation ${current}`);
  }
  if (state === "Stale") return failed(`stale: ${words}`);
  const stalled = conditionOf(item, "Stalled");
  if (stalled !== undefined) return failed(`stalled: ${stalled}`);
  if (state === "Paused") return failed(`paused: ${words}`);
  if (isStuck(item, state)) return failed(`stalled: ${words}`);
  return notYet(`${state || "not looked at"}${words === "" ? "" : `: ${words}`}`);
}

/** The message of a condition that is True. */
function conditionOf(item: unknown, type: string): string | undefined {
  const conditions = at(item, "status.conditions");
  if (!Array.isArray(conditions)) return undefined;
  const found = conditions.find((condition) => isMap(condition) && condition.type === type && condition.status === "True");
  return found === undefined ? undefined : [textAt(found, "reason"), textAt(found, "message")].join(": ");
}

/** Nothing will be done about it: no clock and no other object ends the wait, or its mode forbids acting. */
function isStuck(item: unknown, state: string): boolean {
  const mode = textAt(item, "control.mode");
  if (state === "Drifted") return mode !== "" && mode !== "Auto";
  if (state !== "Failed" && state !== "Blocked") return false;
  return at(item, "status.nextAttempt") === undefined && textAt(item, "status.wakeOn") === "";
}
