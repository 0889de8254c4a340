import { type RunResult, simulate } from "./run";
import type { Sometimes } from "./sometimes";
import { Trace } from "./trace";
import type { Plant } from "./universe";

/** A number of seeds in a row. */
export interface Batch {
  broken: RunResult[];
  /** How many seeds reached a state. */
  reached: Map<Sometimes, number>;
  /** Of all traces, in order. */
  hash: string;
}

export async function simulateSeeds(first: number, count: number, onRun: (result: RunResult) => void = () => undefined): Promise<Batch> {
  const broken: RunResult[] = [];
  const reached = new Map<Sometimes, number>();
  const traces = new Trace();
  for (let seed = first; seed < first + count; seed++) {
    const result = await simulate(String(seed));
    traces.add(result.hash);
    if (result.violation) broken.push(result);
    for (const state of result.reached) reached.set(state, (reached.get(state) ?? 0) + 1);
    onRun(result);
  }
  return { broken, reached, hash: traces.hash };
}

/** The first of the seeds in which the planted bug breaks one of the promises that it is known to break. */
export async function findPlanted(plant: Plant, first: number, count: number): Promise<RunResult | undefined> {
  for (let seed = first; seed < first + count; seed++) {
    const result = await simulate(String(seed), { plant });
    if (result.violation && plant.invariants.includes(result.violation.invariant)) return result;
  }
  return undefined;
}
