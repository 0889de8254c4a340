import type { Result } from "./work";

const RATE = "stored to recorded as done";

/** Setpoint's throughput against each peer's of the same run and store, as lines of a table; none where one of them was not measured. */
export function ratios(results: readonly Result[]): string[] {
  const rates = results.filter(({ metric }) => metric === RATE);
  const lines = rates.flatMap(({ store, subject, value }) => {
    const own = rates.find((result) => result.store === store && result.subject === undefined);
    if (subject === undefined || !own) return [];
    return [`| ${store} | ${subject} | ${(own.value / value).toFixed(2)} |`];
  });
  if (lines.length === 0) return [];
  return ["", "Setpoint against each, by throughput:", "", "| store | peer | ratio |", "|---|---|---:|", ...lines];
}
