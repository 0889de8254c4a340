import { describe, expect, it } from "vitest";
import type { RevisionEntry } from "@/lib/api/contract";
import { compareRevisions, convergenceBars, touchesSecrets } from "./history";

const revision = (generation: number, spec: RevisionEntry["spec"], timeToConvergeMs?: number): RevisionEntry => ({
  generation,
  at: "2026-01-01T00:00:00.000Z",
  author: "ana",
  message: "",
  spec,
  diff: [],
  ...(timeToConvergeMs === undefined ? {} : { timeToConvergeMs }),
});

describe("comparing revisions", () => {
  it("always reads from the older to the newer", () => {
    const one = revision(1, { replicas: 1 });
    const two = revision(2, { replicas: 3 });
    const expected = [{ path: "spec.replicas", actual: 1, desired: 3 }];
    expect(compareRevisions(one, two).diff).toEqual(expected);
    expect(compareRevisions(two, one).diff).toEqual(expected);
  });

  it("knows when a secret's value is among the differences", () => {
    expect(touchesSecrets([{ path: "spec.values.password" }], ["values.*"])).toBe(true);
    expect(touchesSecrets([{ path: "spec.values" }], ["values.*"])).toBe(true);
    expect(touchesSecrets([{ path: "spec.replicas" }], ["values.*"])).toBe(false);
  });
});

describe("time to converge", () => {
  it("is charted oldest first and only where it was measured", () => {
    const bars = convergenceBars([revision(3, {}), revision(2, {}, 900), revision(1, {}, 4000)]);
    expect(bars.map((bar) => [bar.generation, bar.ms])).toEqual([
      [1, 4000],
      [2, 900],
    ]);
  });
});
