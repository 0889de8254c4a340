import type { Report } from ".";

/** What of a report is the same however often it is written. */
export function withoutHistory({ pass: _pass, ...report }: Report): Report {
  return { ...report, events: [] };
}
