import { describe, expect, it } from "vitest";
import type { Action, Plan } from "@/lib/controller";
import { compareField, type Json } from "@/lib/resource";
import { contestOf, type Flip, noteCorrection, noteLook } from "./oscillation";

const put = (effect: Action["effect"]): Action => ({ type: "put", effect, target: "a", reason: "Differs", message: "put a" });
const planOf = (actual: Json | undefined, otherWriter?: string): Plan => ({
  fields: [compareField("spec.value", "ours", actual), compareField("spec.other", 1, 1)],
  actions: [],
  conditions: [],
  ...(otherWriter ? { otherWriter } : {}),
});

/** Plays what looks find; a drift is corrected unless refused. How many corrections were made, and the refusal that ended it. */
function play(looks: (Json | undefined)[], { stepMs = 1_000, effect = "update" as Action["effect"] } = {}) {
  const flips = new Map<string, Flip>();
  let corrections = 0;
  for (const [index, actual] of looks.entries()) {
    const plan = planOf(actual);
    noteLook(flips, plan, index * stepMs);
    if (actual === "ours") continue;
    const refusal = contestOf(flips, put(effect), plan);
    if (refusal) return { corrections, refusal, flips };
    noteCorrection(flips, put(effect), plan);
    corrections += 1;
  }
  return { corrections, refusal: undefined, flips };
}

describe("a field that somebody else keeps changing back", () => {
  it("is corrected twice, and then contested: the report names the field and both writers", () => {
    const { corrections, refusal } = play(["theirs", "ours", "theirs", "ours", "theirs", "ours"]);
    expect(corrections).toBe(2);
    expect(refusal).toMatchObject({ reason: "Contested", retryAfterSeconds: 300 });
    expect(refusal?.message).toMatch(/spec\.value goes back and forth.*Setpoint.*a writer the target does not name/);
  });

  it("names the other writer where the target tells", () => {
    const flips = new Map<string, Flip>([["spec.value", { theirs: "theirs", returns: 2 }]]);
    expect(contestOf(flips, put("update"), planOf("theirs", "user uid 7"))?.message).toContain("user uid 7");
  });

  it("is not contested by what was never in place in between: that is a correction that does not stick", () => {
    expect(play(["theirs", "theirs", "theirs", "theirs"]).refusal).toBeUndefined();
  });

  it("is not contested by ever new values: those are edits, each of which is corrected", () => {
    expect(play(["a", "ours", "b", "ours", "c", "ours", "d", "ours", "e"]).refusal).toBeUndefined();
  });

  it("is not contested by what vanishes: an instance that ends has no other writer behind it", () => {
    expect(play([undefined, "ours", undefined, "ours", undefined, "ours", undefined]).refusal).toBeUndefined();
    expect(play([0, "ours", 0, "ours", 0, "ours", 0], { effect: "create" }).refusal).toBeUndefined();
  });

  it("is forgotten once ours stays, and then begins anew", () => {
    expect(
      play(["theirs", "ours", "theirs", "ours", "ours", "theirs", "ours", "theirs", "ours"], { stepMs: 300_000 }).refusal,
    ).toBeUndefined();
    const { flips } = play(["theirs", "ours", "ours"], { stepMs: 300_000 });
    expect(flips.size).toBe(0);
  });
});
