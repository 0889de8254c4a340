"use client";

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { fillOf, type Point, type Series } from "./series";

export interface StackedBarsDrawingProps {
  points: readonly Point[];
  series: readonly Series[];
  heightPx: number;
  format: (value: number) => string;
  /** Whole numbers only on the axis. */
  counts: boolean;
}

const TICK = { fill: "var(--muted)", fontSize: 11 };

export default function StackedBarsDrawing({ points, series, heightPx, format, counts }: StackedBarsDrawingProps) {
  return (
    <ResponsiveContainer width="100%" height={heightPx}>
      <BarChart data={[...points]} margin={{ top: 4, right: 4, bottom: 0, left: 0 }} barCategoryGap="12%">
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="label" tick={TICK} tickLine={false} axisLine={{ stroke: "var(--line-strong)" }} minTickGap={24} />
        <YAxis tick={TICK} tickLine={false} axisLine={false} width={44} allowDecimals={!counts} tickFormatter={format} />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: "var(--hover)", fillOpacity: 0.6 }}
          content={({ active, payload }) => {
            const point: Point | undefined = payload?.[0]?.payload;
            return active && point ? <PointTip point={point} series={series} format={format} /> : null;
          }}
        />
        {series.map(({ key, tone, label }) => (
          <Bar
            key={key}
            name={label}
            dataKey={(point: Point) => point.values[key] ?? 0}
            stackId="all"
            fill={fillOf(tone)}
            isAnimationActive={false}
            maxBarSize={36}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

function PointTip({ point, series, format }: { point: Point } & Pick<StackedBarsDrawingProps, "series" | "format">) {
  return (
    <div className="rounded-md border border-line bg-raised px-2.5 py-1.5 text-fg text-xs shadow-float">
      <p className="nums mb-1 text-muted">{point.title}</p>
      {series.map(({ key, label, tone }) => (
        <p key={key} className="flex items-center gap-2">
          <span aria-hidden className="size-2 rounded-sm" style={{ background: fillOf(tone) }} />
          <span className="flex-1">{label}</span>
          <span className="nums font-medium">{format(point.values[key] ?? 0)}</span>
        </p>
      ))}
    </div>
  );
}
