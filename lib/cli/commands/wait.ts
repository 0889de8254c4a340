/** setpoint wait: until objects are converged (or deleted). 1 when that cannot become true, or not in time. */
import { systemClock } from "@/lib/clock";
import { Failure, NO } from "../failure";
import { pathOf, type Ref } from "../kinds";
import { numberAt } from "../objects";
import { durationOf } from "../options";
import { nameOf, type Session } from "../session";
import { type Goal, type Verdict, verdictOf } from "../verdict";

const DEFAULT_TIMEOUT = "5m";
/** Looks are cheap, and staleness comes by time alone: no watch would tell of it. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

export async function wait(session: Session): Promise<number> {
  const { options, terminal } = session;
  const goal = goalOf(options.for);
  const wanted = options.generation === undefined ? undefined : generationOf(options.generation);
  const deadline = systemClock.monotonic() + durationOf(options.timeout ?? DEFAULT_TIMEOUT, "--timeout");
  const refs = await session.targets();
  const verdicts = await Promise.all(refs.map((ref) => waitFor(session, ref, { goal, wanted, deadline })));
  verdicts.forEach((verdict, index) => {
    const ref = refs[index];
    if (!ref) return;
    const line = `${nameOf(ref)}: ${verdict.over ? verdict.why : `not within ${options.timeout ?? DEFAULT_TIMEOUT}: ${verdict.why}`}\n`;
    if (verdict.over && verdict.reached) terminal.out(line);
    else terminal.err(line);
  });
  return verdicts.every((verdict) => verdict.over && verdict.reached) ? 0 : NO;
}

interface Wish {
  goal: Goal;
  wanted: number | undefined;
  deadline: number;
}

async function waitFor({ client }: Session, ref: Ref, { goal, wanted, deadline }: Wish): Promise<Verdict> {
  let generation = wanted;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const item = await client.find(pathOf(ref));
    // Without --generation the one that is there at the first look is meant: an edit meanwhile is another wish.
    generation ??= numberAt(item, "metadata.generation");
    const verdict = verdictOf(item, goal, generation);
    if (verdict.over || systemClock.monotonic() >= deadline) return verdict;
    await systemClock.sleep(pause);
  }
}

function goalOf(text: string | undefined): Goal {
  if (text === undefined || text === "converged") return "converged";
  if (text === "deleted" || text === "delete") return "deleted";
  throw new Failure("--for must be converged or deleted");
}

function generationOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Failure("--generation must be a whole number from 1 on");
  return Number(text);
}
