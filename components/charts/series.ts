import type { Tone } from "@/components/ui/badge";

/** One of the things a chart counts. */
export interface Series {
  key: string;
  label: string;
  tone: Exclude<Tone, "neutral">;
}

/** One bar: where it stands and how much of each series. */
export interface Point {
  /** Text under the bar. */
  label: string;
  /** Names the bar in full, in the tooltip and the table. */
  title: string;
  values: Record<string, number>;
}

/** The fill of a series, the same token in both themes. */
export function fillOf(tone: Series["tone"]): string {
  return tone === "accent" ? "var(--accent)" : `var(--${tone}-mark)`;
}

/** How much of each series there is in all points together. */
export function totalsOf(points: readonly Point[], series: readonly Series[]): Record<string, number> {
  return Object.fromEntries(series.map(({ key }) => [key, points.reduce((sum, point) => sum + (point.values[key] ?? 0), 0)]));
}
