import { StackedBars } from "@/components/charts";
import { durationText } from "@/components/ui/time-format";
import type { RevisionEntry } from "@/lib/api/contract";
import { convergenceBars } from "../history";

const SERIES = [{ key: "ms", label: "Time to converge", tone: "info" }] as const;

/** How long each revision took from save to the first match, one bar each. */
export function ConvergenceChart({ revisions }: { revisions: readonly RevisionEntry[] }) {
  const bars = convergenceBars(revisions);
  const newest = bars.at(-1);
  return (
    <section className="rounded-lg border border-line bg-surface p-4">
      <h2 className="mb-1 font-semibold text-sm">Time to converge</h2>
      {newest ? (
        <StackedBars
          label="Time to converge per generation"
          summary={summaryOf(bars, newest)}
          axis="Generation"
          heightPx={140}
          series={SERIES}
          format={axisText}
          points={bars.map((bar) => ({
            label: String(bar.generation),
            title: `Generation ${bar.generation}${bar.message ? `: ${bar.message}` : ""}`,
            values: { ms: bar.ms },
          }))}
        />
      ) : (
        <p className="text-muted">No revision has converged yet.</p>
      )}
    </section>
  );
}

/** Without blanks that a narrow axis would break at. */
function axisText(ms: number): string {
  return durationText(ms).replaceAll(" ", "\u00a0");
}

function summaryOf(bars: readonly { generation: number; ms: number }[], newest: { generation: number; ms: number }): string {
  const slowest = bars.reduce((most, bar) => (bar.ms > most.ms ? bar : most), newest);
  const now = `Generation ${newest.generation} took ${durationText(newest.ms)}`;
  return bars.length === 1
    ? `${now}.`
    : `${now}; the slowest of ${bars.length} was ${slowest.generation} with ${durationText(slowest.ms)}.`;
}
