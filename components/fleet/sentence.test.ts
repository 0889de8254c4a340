import { describe, expect, it } from "vitest";
import { STATES, type State } from "@/lib/resource";
import { shareText, stateClauses } from "./sentence";

const states = (some: Partial<Record<State, number>>) =>
  Object.fromEntries(STATES.map((state) => [state, some[state] ?? 0])) as Record<State, number>;

describe("the sentence of state", () => {
  it("names the denominator, and everything that is not converged, worst first", () => {
    const clauses = stateClauses({ total: 1248, states: states({ Converged: 1241, Paused: 4, Failed: 3 }) });
    expect(clauses.map((clause) => `${clause.count} ${clause.text}`)).toEqual(["1241 of 1,248 converged", "3 failed", "4 paused"]);
  });

  it("counts every resource exactly once, so that the numbers add up", () => {
    const all = states(Object.fromEntries(STATES.map((state, index) => [state, index + 1])));
    const total = Object.values(all).reduce((sum, count) => sum + count, 0);
    const clauses = stateClauses({ total, states: all });
    expect(clauses.reduce((sum, clause) => sum + (clause.count ?? 0), 0)).toBe(total);
  });
});

describe("a share", () => {
  it("never rounds a failure away", () => {
    expect(shareText(99_999, 100_000)).toBe("> 99.9 %");
    expect(shareText(1, 100_000)).toBe("< 0.1 %");
    expect(shareText(100, 100)).toBe("100 %");
    expect(shareText(2, 3)).toBe("66.7 %");
  });

  it("does not pretend to know a share of nothing", () => {
    expect(shareText(0, 0)).toBe("–");
  });
});
