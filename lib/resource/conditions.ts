import type { Condition, ConditionStatus } from "./model";

/** A condition as a pass reports it, before it is dated. */
export interface ConditionReport {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
}

/**
 * The stored list after a report: `lastTransitionTime` moves only when `status` changes, types not reported
 * are dropped, order is by type with Ready first. The same report over the same facts gives the same list, the stored one itself.
 */
export function mergeConditions(
  before: readonly Condition[],
  reports: readonly ConditionReport[],
  generation: number,
  nowIso: string,
): readonly Condition[] {
  const merged = reports.map((report) => merge(findCondition(before, report.type), report, generation, nowIso));
  if (merged.length === before.length && merged.every((condition) => before.includes(condition))) return before;
  return merged.sort((a, b) => Number(b.type === "Ready") - Number(a.type === "Ready") || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
}

function merge(
  old: Condition | undefined,
  { type, status, reason, message }: ConditionReport,
  generation: number,
  nowIso: string,
): Condition {
  const sameStatus = old?.status === status;
  if (sameStatus && old.reason === reason && old.message === message && old.observedGeneration === generation) return old;
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: sameStatus ? old.lastTransitionTime : nowIso,
    observedGeneration: generation,
  };
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
