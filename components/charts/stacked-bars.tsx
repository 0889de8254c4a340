"use client";

import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { Boundary } from "@/components/ui/boundary";
import { Skeleton } from "@/components/ui/skeleton";
import { ChartFrame } from "./chart-frame";
import { fillOf, type Point, type Series } from "./series";

const Drawing = dynamic(() => import("./stacked-bars-drawing"), { ssr: false, loading: () => <Skeleton className="h-full" /> });

const asCount = (value: number) => value.toLocaleString("en");

export interface StackedBarsProps {
  /** Names the chart: "Passes". */
  label: string;
  summary: ReactNode;
  points: readonly Point[];
  series: readonly Series[];
  /** What the bars stand for, as the heading of the table's first column: "Time (UTC)", "Generation". */
  axis: string;
  heightPx?: number;
  /** How a value is written; default is a whole number. */
  format?: (value: number) => string;
}

/** Bars over time or over anything that has an order, stacked where there are several series. */
export function StackedBars({ label, summary, points, series, axis, heightPx = 180, format }: StackedBarsProps) {
  const write = format ?? asCount;
  return (
    <ChartFrame
      label={label}
      summary={summary}
      heightPx={heightPx}
      legend={series.length > 1 ? <Legend series={series} /> : undefined}
      columns={[axis, ...series.map((one) => one.label)]}
      rows={() => points.map((point) => [point.title, ...series.map(({ key }) => write(point.values[key] ?? 0))])}
    >
      <Boundary fallback={<p className="text-muted">The chart cannot be drawn here. The table has the same numbers.</p>}>
        <Drawing points={points} series={series} heightPx={heightPx} format={write} counts={format === undefined} />
      </Boundary>
    </ChartFrame>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3">
      {series.map(({ key, label, tone }) => (
        <li key={key} className="flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-sm" style={{ background: fillOf(tone) }} />
          {label}
        </li>
      ))}
    </ul>
  );
}
