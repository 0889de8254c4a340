import { describe, expect, it } from "vitest";
import { REGRESSIONS, type RunResult, SOMETIMES, type Sometimes, simulate, simulateSeeds, tell } from ".";
import { FIRST_HALF, SECOND_HALF } from "./seeds";

describe("in a world where everything goes wrong", () => {
  it("a thousand seeds break no promise, and the rare states are reached", async () => {
    const { broken, reached } = await simulateSeeds(FIRST_HALF.first, FIRST_HALF.count);
    expect(await stories(broken)).toEqual([]);
    expect(neverReached(reached)).toEqual([]);
  }, 900_000);

  it("one seed and one build give one trace", async () => {
    for (const seed of ["1", "2", "3", "1000", "a word"]) {
      const [one, other] = [await simulate(seed), await simulate(seed)];
      expect(other.hash).toBe(one.hash);
      expect(other.steps).toBe(one.steps);
    }
    const [batch, again] = [await simulateSeeds(SECOND_HALF.first, 20), await simulateSeeds(SECOND_HALF.first, 20)];
    expect(again.hash).toBe(batch.hash);
    expect((await simulateSeeds(FIRST_HALF.first, 20)).hash).not.toBe(batch.hash);
  }, 300_000);

  it("leases that are shorter than many an answer takes break no promise either", async () => {
    const results: RunResult[] = [];
    for (let seed = 1; seed <= 60; seed++) results.push(await simulate(String(seed), { leaseMs: 1_000 }));
    expect(await stories(results.filter(({ violation }) => violation))).toEqual([]);
  }, 300_000);

  it("what once was broken is not broken again", async () => {
    const results: RunResult[] = [];
    for (const { seed, options = { plain: true } } of REGRESSIONS) results.push(await simulate(seed, options));
    expect(await stories(results.filter(({ violation }) => violation))).toEqual([]);
  }, 300_000);
});

async function stories(broken: RunResult[]): Promise<string[]> {
  const told: string[] = [];
  for (const result of broken.slice(0, 3)) told.push(await tell(result));
  return told;
}

function neverReached(reached: Map<Sometimes, number>): string[] {
  return SOMETIMES.filter((state) => !reached.has(state));
}
