"use client";

import { ChartNoAxesColumn, Table2 } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { Cell, Column, Table, TableBody, TableHead, TableRow } from "@/components/ui/table";

export interface ChartFrameProps {
  /** Names the chart. */
  label: string;
  /** What it shows, in a sentence; read out and shown. */
  summary: ReactNode;
  heightPx: number;
  legend?: ReactNode;
  /** The same numbers: a heading per column, a row per point. */
  columns: readonly string[];
  rows: () => readonly (readonly ReactNode[])[];
  children: ReactNode;
}

/** A figure of fixed height that can be read as a table too. */
export function ChartFrame({ label, summary, heightPx, legend, columns, rows, children }: ChartFrameProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <figure aria-labelledby={id} className="m-0">
      <figcaption id={id} className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-muted text-xs">
        <span className="sr-only">{label}: </span>
        <span className="min-w-0 flex-1 basis-48">{summary}</span>
        {legend}
        <Button variant="ghost" size="sm" onClick={() => setAsTable(!asTable)} aria-pressed={asTable}>
          {asTable ? <ChartNoAxesColumn aria-hidden /> : <Table2 aria-hidden />}
          {asTable ? "View as chart" : "View as table"}
        </Button>
      </figcaption>
      <div style={{ height: heightPx }} className={asTable ? "overflow-y-auto" : undefined}>
        {asTable ? <FrameTable label={label} columns={columns} rows={rows()} /> : children}
      </div>
    </figure>
  );
}

function FrameTable({ label, columns, rows }: { label: string; columns: readonly string[]; rows: readonly (readonly ReactNode[])[] }) {
  return (
    <Table caption={label}>
      <TableHead>
        <tr>
          {columns.map((column, index) => (
            <Column key={column} numeric={index > 0}>
              {column}
            </Column>
          ))}
        </tr>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <TableRow key={String(row[0])}>
            {row.map((value, index) => (
              <Cell key={columns[index]} numeric={index > 0} className="h-7">
                {value}
              </Cell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}
