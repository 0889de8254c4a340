import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SetpointError } from "@/lib/errors";
import { OPEN_CAP_MS, OPENS_AFTER, TargetBudget } from "./budget";

const LIMITS = { perSecond: 10, burst: 5, atOnce: 3 };
const dead = new SetpointError("Unreachable", "connect ECONNREFUSED");

function opened(now = 0): TargetBudget {
  const budget = new TargetBudget(LIMITS, now);
  for (let i = 0; i < OPENS_AFTER; i++) {
    budget.take(now, 0);
    budget.unanswered(`object ${i}`, dead, now, 0.5);
  }
  return budget;
}

describe("the budget of a target account", () => {
  it("lets through no more than burst and rate allow, in any order of calls", () => {
    const step = fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), band: fc.constantFrom(0, 1, 2, 3) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const budget = new TargetBudget(LIMITS, 0);
        let now = 0;
        let calls = 0;
        for (const { waitMs, band } of steps) {
          now += waitMs;
          if (!budget.take(now, band).go) continue;
          calls += 1;
          budget.answered();
        }
        expect(calls).toBeLessThanOrEqual(LIMITS.burst + (now / 1000) * LIMITS.perSecond + 1);
      }),
    );
  });

  it("never has more calls in flight than allowed, and gives back what ends", () => {
    const budget = new TargetBudget({ ...LIMITS, burst: 100 }, 0);
    const takes = Array.from({ length: 10 }, () => budget.take(0, 0));
    expect(takes.filter(({ go }) => go)).toHaveLength(LIMITS.atOnce);
    budget.neither();
    expect(budget.take(0, 0).go).toBe(true);
    expect(budget.take(0, 0).go).toBe(false);
  });

  it("serves what is urgent first: looks that are only due take at most an eighth while intent waits", () => {
    const budget = new TargetBudget({ perSecond: 50, burst: 5, atOnce: 100 }, 0);
    const asking = [
      ...Array.from({ length: 200 }, () => ({ at: 0, band: 3 as const })),
      ...Array.from({ length: 40 }, () => ({ at: 1, band: 0 as const })),
    ];
    let [served, lastUrgent] = [0, 0];
    for (let open = 40; open > 0; ) {
      asking.sort((a, b) => a.at - b.at);
      const [next] = asking;
      if (!next) throw new Error("nobody asks");
      const admission = budget.take(next.at, next.band);
      if (!admission.go) {
        next.at = admission.at;
        continue;
      }
      budget.answered();
      served += 1;
      if (next.band === 3) next.at += 400;
      else {
        asking.splice(0, 1);
        open -= 1;
        lastUrgent = next.at;
      }
    }
    expect(lastUrgent).toBeLessThan((40 / 50) * 1000 * 1.3);
    // Nor do the others starve.
    expect(served - 40).toBeGreaterThanOrEqual(4);
  });

  it("charges nothing for asking: a key that asks a thousand times is called once", () => {
    const budget = new TargetBudget({ perSecond: 1, burst: 1, atOnce: 100 }, 0);
    expect(budget.take(0, 0).go).toBe(true);
    for (let i = 0; i < 1000; i++) expect(budget.take(1, 0).go).toBe(false);
    expect(budget.take(1_001, 0).go).toBe(true);
  });

  it("sends those that must wait away to different times, each band in a line of its own", () => {
    const budget = new TargetBudget({ perSecond: 10, burst: 1, atOnce: 100 }, 0);
    budget.take(0, 0);
    const at = (band: 0 | 3) => {
      const admission = budget.take(0, band);
      return admission.go ? 0 : admission.at;
    };
    expect([at(3), at(3), at(3)]).toEqual([100, 200, 300]);
    expect(at(0)).toBe(100);
  });

  it("opens after several objects in a row without an answer, then lets one at a time try, and closes with the first answer", () => {
    const budget = opened();
    expect(budget.open).toBe(true);
    const probeAt = budget.nextProbeAt ?? 0;
    expect(budget.take(probeAt - 1, 0)).toMatchObject({ go: false, because: "down", at: probeAt });
    expect(budget.take(probeAt, 0).go).toBe(true);
    expect(budget.take(probeAt, 0)).toMatchObject({ go: false, because: "down" });
    expect(budget.answered()).toBe(true);
    expect(budget.open).toBe(false);
    expect(budget.take(probeAt, 0).go).toBe(true);
  });

  it("stays closed for a few objects, however often each was not answered: they keep to appointments of their own", () => {
    const budget = new TargetBudget({ ...LIMITS, burst: 1000 }, 0);
    for (let i = 0; i < 100; i++) {
      budget.take(0, 0);
      budget.unanswered(`object ${i % (OPENS_AFTER - 1)}`, dead, 0, 0);
    }
    expect(budget.open).toBe(false);
  });

  it("stays closed while some calls are answered, however many are not", () => {
    const budget = new TargetBudget({ ...LIMITS, burst: 1000 }, 0);
    for (let i = 0; i < 100; i++) {
      budget.take(0, 0);
      if (i % (OPENS_AFTER - 1) === 0) budget.answered();
      else budget.unanswered(`object ${i}`, dead, 0, 0);
    }
    expect(budget.open).toBe(false);
  });

  it("tries a dead target ever more rarely, down to a floor that finds its return in time", () => {
    const budget = opened();
    let now = 0;
    let tries = 0;
    while (now < 3_600_000) {
      now = budget.nextProbeAt ?? now;
      expect(budget.take(now, 0).go).toBe(true);
      budget.unanswered("object", dead, now, 0.999);
      expect((budget.nextProbeAt ?? 0) - now).toBeLessThanOrEqual(OPEN_CAP_MS);
      tries += 1;
    }
    expect(tries).toBeLessThan(80);
  });

  it("believes a target that says when to come back", () => {
    const budget = new TargetBudget(LIMITS, 0);
    budget.take(0, 0);
    budget.unanswered("object", new SetpointError("Throttled", "slow down", { retryAfterSeconds: 90 }), 0, 0.5);
    expect(budget.nextProbeAt).toBe(90_000);
  });

  it("does not wait for hours when the wall clock is set back", () => {
    const budget = opened(10_000_000_000);
    expect(budget.take(0, 0).go).toBe(true);
  });
});
