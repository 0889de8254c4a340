import { FAULT_NAMES, FAULTS, type Fault } from "./faults";
import { type RunResult, simulate } from "./run";
import type { Plant } from "./universe";
import { INVARIANTS } from "./violation";

const LINES = 40;
/** Housekeeping that says nothing about one object. */
const NOISE = /renew|kindPauses|feed|operator read/;

/** The smallest run that still breaks the same promise: kinds of faults are switched off one at a time while it does. */
export async function shrink(broken: RunResult, plant?: Plant): Promise<{ result: RunResult; disabled: ReadonlySet<Fault> }> {
  const disabled = new Set<Fault>(FAULT_NAMES.filter((name) => !broken.faults.includes(name)));
  let result = broken;
  for (const fault of broken.faults) {
    const attempt = await simulate(broken.seed, { disabled: new Set([...disabled, fault]), plant });
    if (attempt.violation?.invariant !== broken.violation?.invariant) continue;
    disabled.add(fault);
    result = attempt;
  }
  return { result, disabled };
}

/** What happened, for people: the promise, the faults that are needed for it, and the last steps that have to do with it. */
export async function tell(broken: RunResult, plant?: Plant): Promise<string> {
  const { violation } = broken;
  if (!violation) return `seed ${broken.seed}: nothing is broken`;
  const { result } = await shrink(broken, plant);
  const told = result.violation ?? violation;
  const about = (line: string) => !NOISE.test(line) && (told.subject === "" || line.includes(told.subject) || WORKERS.test(line));
  return [
    `seed ${broken.seed} breaks ${told.invariant} (${INVARIANTS[told.invariant]}): ${told.subject} ${told.message}`,
    ...result.faults.map((fault) => `  needs: ${fault}: ${FAULTS[fault]}`),
    ...result.story(LINES, about).map((line) => `  ${line.slice(0, 200)}`),
  ].join("\n");
}

const WORKERS = /(dies|frozen|goes on|starts|leaves|wall clock|log:|store is away|faults stop|broken)/;
