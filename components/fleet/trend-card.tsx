"use client";

import { type Point, type Series, StackedBars, totalsOf } from "@/components/charts";
import { usePreference } from "@/components/layout/preferences";
import { Card, CardBody, CardHeader } from "@/components/ui/card";
import { absoluteText, tickText } from "@/components/ui/time-format";
import type { Overview } from "@/lib/api/contract";
import type { Range } from "@/lib/client";
import { fromIso } from "@/lib/clock";

const HOUR_MS = 3_600_000;
const RANGE_MS: Record<Range, number> = { "1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS, "30d": 720 * HOUR_MS };

const SERIES: Series[] = [
  { key: "converged", label: "Converged", tone: "ok" },
  { key: "corrected", label: "Corrected", tone: "info" },
  { key: "failed", label: "Failed", tone: "bad" },
];

export function TrendCard({ trend, range, rangeName }: { trend: Overview["trend"]; range: Range; rangeName: string }) {
  const [zone] = usePreference("zone");
  const points: Point[] = trend.map(({ at, converged, corrected, failed }) => {
    const instant = fromIso(at) ?? 0;
    return {
      label: tickText(instant, zone, RANGE_MS[range]),
      title: absoluteText(instant, zone),
      values: { converged, corrected, failed },
    };
  });
  const totals = totalsOf(points, SERIES);
  const summary =
    (totals.converged ?? 0) + (totals.corrected ?? 0) + (totals.failed ?? 0) === 0
      ? `No pass acted, failed or changed an outcome in the ${rangeName}.`
      : `${totals.corrected?.toLocaleString("en")} passes corrected something, ${totals.converged?.toLocaleString("en")} found it converged again and ${totals.failed?.toLocaleString("en")} failed in the ${rangeName}.`;
  return (
    <Card aria-labelledby="trend">
      <CardHeader id="trend" title="Passes that acted, failed or changed an outcome" />
      <CardBody>
        <StackedBars
          label="Passes"
          summary={summary}
          points={points}
          series={SERIES}
          axis={zone === "utc" ? "Time (UTC)" : "Time (local)"}
        />
      </CardBody>
    </Card>
  );
}
