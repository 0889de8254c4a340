import { Chaos } from "./chaos";
import type { Fault } from "./faults";
import { Liveness } from "./liveness";
import { Operator } from "./operator";
import type { Sometimes } from "./sometimes";
import { type RunOptions, Universe } from "./universe";
import type { Violation } from "./violation";

/** Virtual milliseconds in which things go wrong. */
const SAFETY_MS = 36_000;
/** A run that does not come to an end is broken too. */
const MOST_STEPS = 60_000;

export interface RunResult {
  seed: string;
  /** Of the whole trace: the same seed gives the same. */
  hash: string;
  violation?: Violation;
  reached: ReadonlySet<Sometimes>;
  /** Faults that the seed has. */
  faults: Fault[];
  steps: number;
  /** The last lines of the trace that `wanted` keeps. */
  story(count: number, wanted: (line: string) => boolean): string[];
}

/** As `run`, without stacks of the thousands of errors that are part of the game. */
export async function simulate(seed: string, options: RunOptions = {}): Promise<RunResult> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await run(seed, options);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** One run: things go wrong and safety is judged at each step; then faults stop, and what was promised must come true. */
async function run(seed: string, options: RunOptions): Promise<RunResult> {
  const universe = new Universe(seed, options);
  const { schedule, oracle, faults, trace } = universe;
  const operator = new Operator(universe);
  const chaos = new Chaos(universe, operator);
  const liveness = new Liveness(universe, operator);
  const judge = () => {
    oracle.judgeChanges();
    oracle.judgeTargets();
    oracle.demand(schedule.steps < MOST_STEPS, "I7", "", `no end after ${MOST_STEPS} steps`);
    return oracle.violation !== undefined;
  };
  chaos.begin();
  const working = operator.work();
  await schedule.runUntil(SAFETY_MS, judge);
  if (!oracle.violation) {
    universe.note("faults stop");
    faults.over = true;
    chaos.calm();
    void working.then(() => operator.letGo());
    await schedule.runUntil(schedule.time + 3_000, judge);
  }
  if (!oracle.violation) await liveness.settle();
  // What was just done may not be reported yet.
  if (!oracle.violation) await schedule.runUntil(schedule.time + 3_000, judge);
  if (!oracle.violation) await liveness.settle();
  oracle.judgeChanges();
  if (!oracle.violation) await liveness.rest();
  if (!oracle.violation) liveness.judgeEnd();
  if (oracle.violation) universe.note(`broken ${oracle.violation.invariant}: ${oracle.violation.message}`);
  return {
    seed,
    hash: trace.hash,
    ...(oracle.violation ? { violation: oracle.violation } : {}),
    reached: oracle.reached,
    faults: [...faults.active],
    steps: schedule.steps,
    story: (count, wanted) => trace.last(count, wanted),
  };
}
