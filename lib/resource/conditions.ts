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
 * are dropped, order is by type with Ready first. The same report over the same facts gives the same list.
 */
export function mergeConditions(
  before: readonly Condition[],
  reports: readonly ConditionReport[],
  generation: number,
  nowIso: string,
): Condition[] {
  const known = new Map(before.map((condition) => [condition.type, condition]));
  return [...reports]
    .sort((a, b) => Number(b.type === "Ready") - Number(a.type === "Ready") || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))
    .map((report) => {
      const old = known.get(report.type);
      return {
        type: report.type,
        status: report.status,
        reason: report.reason,
        message: report.message,
        lastTransitionTime: old?.status === report.status ? old.lastTransitionTime : nowIso,
        observedGeneration: generation,
      };
    });
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
