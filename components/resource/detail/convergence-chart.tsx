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

/** One unit and no blank, so that it fits the narrow axis. */
function axisText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(1)}min` : `${(ms / 3_600_000).toFixed(1)}h`;
}

function summaryOf(bars: readonly { generation: number; ms: number }[], newest: { generation: number; ms: number }): string {
  const slowest = bars.reduce((most, bar) => (bar.ms > most.ms ? bar : most), newest);
  const now = `Generation ${newest.generation} took ${durationText(newest.ms)}`;
  if (bars.length === 1) return `${now}.`;
  if (slowest === newest) return `${now}, the slowest of ${bars.length}.`;
  return `${now}; the slowest of ${bars.length} was generation ${slowest.generation} with ${durationText(slowest.ms)}.`;
}
