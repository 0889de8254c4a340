import type { Overview } from "@/lib/api/contract";
import type { State } from "@/lib/resource";

export interface Clause {
  /** How many, absent for the words between. */
  count?: number;
  text: string;
  states?: State[];
}

const OTHERS: { states: State[]; text: string }[] = [
  { states: ["Failed"], text: "failed" },
  { states: ["BackingOff"], text: "backing off" },
  { states: ["Blocked"], text: "blocked" },
  { states: ["Drifted"], text: "drifted" },
  { states: ["Progressing"], text: "progressing" },
  { states: ["Deleting"], text: "being deleted" },
  { states: ["Paused"], text: "paused" },
  { states: ["Stale"], text: "stale" },
];

/** "1,241 of 1,248 converged; 3 failed, 4 paused": what is not zero, worst first. */
export function stateClauses({ total, states }: Pick<Overview, "total" | "states">): Clause[] {
  return [
    { count: states.Converged ?? 0, text: `of ${total.toLocaleString("en")} converged`, states: ["Converged"] },
    ...OTHERS.map(({ states: names, text }) => ({
      count: names.reduce((sum, name) => sum + (states[name] ?? 0), 0),
      text,
      states: names,
    })).filter((clause) => clause.count > 0),
  ];
}

/** A share as people read it: never 100 % when something failed, never 0 % when something succeeded. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (100 * part) / whole;
  if (percent > 99.9 && part < whole) return "> 99.9 %";
  if (percent < 0.1 && part > 0) return "< 0.1 %";
  return `${percent === 100 || percent === 0 ? percent : percent.toFixed(1)} %`;
}
