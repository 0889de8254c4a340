/** `npm run simulate -- --seeds N [--seed S] [--planted]`: see README.md. Ends with 1 when anything is broken, or a planted bug was not found. */
import { parseArgs } from "node:util";
import { findPlanted, PLANTED, SOMETIMES, simulateSeeds, tell } from ".";

/** From so many seeds on, every rare state must have been reached. */
const ENOUGH_SEEDS = 2_000;
/** A planted bug must be found within so many. */
const PLANTED_SEEDS = 500;

const usage = "usage: npm run simulate -- [--seeds N] [--seed FIRST] [--planted]";
const say = (line: string) => process.stdout.write(`${line}\n`);

function wholeNumber(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`"${text}" is no whole number above 0\n${usage}`);
  return number;
}

async function healthy(first: number, count: number): Promise<boolean> {
  const { broken, reached, hash } = await simulateSeeds(first, count, ({ seed, violation }) => {
    if (violation) say(`seed ${seed}: ${violation.invariant} ${violation.subject} ${violation.message}`);
  });
  for (const result of broken.slice(0, 5)) say(`\n${await tell(result)}\n`);
  say("rare states, and how many seeds reached them:");
  for (const state of SOMETIMES) say(`  ${String(reached.get(state) ?? 0).padStart(6)}  ${state}`);
  const never = count >= ENOUGH_SEEDS ? SOMETIMES.filter((state) => !reached.has(state)) : [];
  for (const state of never) say(`never reached: ${state}`);
  say(`${count} seeds, ${broken.length} broken, trace ${hash}`);
  return broken.length === 0 && never.length === 0;
}

async function planted(first: number, count: number): Promise<boolean> {
  let found = 0;
  for (const plant of PLANTED) {
    const result = await findPlanted(plant, first, count);
    if (result) found += 1;
    const how = result
      ? `seed ${result.seed} breaks ${result.violation?.invariant}: ${result.violation?.message.slice(0, 120)}`
      : "not found";
    say(`${plant.name}: ${how}`);
  }
  say(`${found} of ${PLANTED.length} planted bugs found`);
  return found === PLANTED.length;
}

try {
  const { values } = parseArgs({ options: { seeds: { type: "string" }, seed: { type: "string" }, planted: { type: "boolean" } } });
  const first = wholeNumber(values.seed, 1);
  // One seed asked for by its number is one seed.
  const count = wholeNumber(values.seeds, values.planted ? PLANTED_SEEDS : values.seed === undefined ? ENOUGH_SEEDS : 1);
  process.exitCode = (await (values.planted ? planted(first, count) : healthy(first, count))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
