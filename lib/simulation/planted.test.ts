import { describe, expect, it } from "vitest";
import { findPlanted, PLANTED, simulateSeeds, tell } from ".";
import { SECOND_HALF } from "./seeds";

describe("the simulation can find what it looks for", () => {
  it("at least twelve planted bugs, each within 500 seeds", async () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(12);
    const missed: string[] = [];
    for (const plant of PLANTED) if (!(await findPlanted(plant, 1, 500))) missed.push(plant.name);
    expect(missed).toEqual([]);
  }, 900_000);

  it("and tells it as a story of the faults that are needed and the steps that led there", async () => {
    const plant = PLANTED.find(({ name }) => name.startsWith("the finalizer is dropped"));
    const found = plant && (await findPlanted(plant, 1, 500));
    if (!found) throw new Error("not found");
    const story = await tell(found, plant);
    expect(story).toContain("breaks I8 (deletion orphans nothing)");
    expect(story.split("\n").length).toBeLessThan(70);
  }, 300_000);

  it("and where nothing is planted, another thousand seeds break no promise", async () => {
    const { broken } = await simulateSeeds(SECOND_HALF.first, SECOND_HALF.count);
    expect(broken.map(({ seed, violation }) => `${seed}: ${violation?.invariant} ${violation?.message}`)).toEqual([]);
  }, 900_000);
});
