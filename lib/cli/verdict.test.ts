import { describe, expect, it } from "vitest";
import { verdictOf } from "./verdict";

const object = (more: object = {}, state = "Converged", status: object = {}) => ({
  metadata: { name: "a", generation: 2 },
  control: { mode: "Auto" },
  status: { observedGeneration: 2, conditions: [], ...status },
  view: { state, reason: "Reason", message: "What it is." },
  ...more,
});
const reached = (item: unknown, generation?: number) => {
  const verdict = verdictOf(item, "converged", generation);
  return verdict.over ? verdict.reached : "not yet";
};

describe("waiting", () => {
  it("is over when the generation that is meant was looked at and found converged, and only then", () => {
    expect(reached(object(), 2)).toBe(true);
    expect(reached(object())).toBe(true);
    expect(reached(object({}, "Progressing"), 2)).toBe("not yet");
    expect(reached(object({}, "Converged", { observedGeneration: 1 }), 2)).toBe("not yet");
    expect(reached(object(), 3)).toBe("not yet");
    expect(reached(object({}, "BackingOff", { nextAttempt: { at: "" } }), 2)).toBe("not yet");
    expect(reached(object({}, "Blocked", { wakeOn: "PostgresServer/main becomes Ready" }), 2)).toBe("not yet");
  });

  it("fails at once on what waiting does not help", () => {
    expect(verdictOf(object(), "converged", 1)).toMatchObject({ reached: false, why: expect.stringContaining("wrong generation") });
    expect(verdictOf(object({}, "Stale"), "converged", 2)).toMatchObject({ reached: false, why: "stale: Reason: What it is." });
    expect(reached(object({}, "Paused"), 2)).toBe(false);
    expect(reached(object({}, "Failed"), 2)).toBe(false);
    expect(reached(object({}, "Blocked"), 2)).toBe(false);
    expect(reached(object({ control: { mode: "DryRun" } }, "Drifted"), 2)).toBe(false);
    expect(reached(object({ metadata: { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z" } }), 2)).toBe(false);
    expect(reached(undefined, 2)).toBe(false);
    const stalled = object({}, "BackingOff", { conditions: [{ type: "Stalled", status: "True", reason: "Rejected", message: "no" }] });
    expect(verdictOf(stalled, "converged", 2)).toMatchObject({ reached: false, why: "stalled: Rejected: no" });
  });

  it("for deletion ends when it is gone", () => {
    expect(verdictOf(undefined, "deleted", 2)).toMatchObject({ over: true, reached: true });
    expect(verdictOf(object({}, "Deleting"), "deleted", 2).over).toBe(false);
    expect(verdictOf(object({}, "Stale"), "deleted", 2)).toMatchObject({ over: true, reached: false });
  });
});
