"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { AbsoluteTime, RelativeTime } from "@/components/layout/time";
import { Badge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { Cell, Column, Table, TableBody, TableHead, TableRow } from "@/components/ui/table";
import { durationText } from "@/components/ui/time-format";
import type { ControllerRow } from "@/lib/api/contract";
import { resourcesHref } from "@/lib/client";
import { shareOf } from "./error-rate";
import { KindPauseButton } from "./kind-pause";

const WIDE = "max-lg:hidden";

/** The loops, one row each; on narrow screens one card each, with the same facts. */
export function ControllerTable({ rows }: { rows: readonly ControllerRow[] }) {
  return (
    <Card>
      <Table caption="Controllers" wrapperClassName={WIDE}>
        <TableHead>
          <tr>
            <Column>Controller</Column>
            <Column numeric>Resources</Column>
            <Column numeric>Queue</Column>
            <Column numeric>In flight</Column>
            <Column numeric>Retrying</Column>
            <Column numeric>Last hour</Column>
            <Column numeric>Looks</Column>
            <Column>
              <span className="sr-only">Pause</span>
            </Column>
          </tr>
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <ControllerLine key={row.kind} row={row} />
          ))}
        </TableBody>
      </Table>
      <ul className="divide-y divide-line lg:hidden">
        {rows.map((row) => (
          <ControllerCard key={row.kind} row={row} />
        ))}
      </ul>
    </Card>
  );
}

function ControllerLine({ row }: { row: ControllerRow }) {
  return (
    <TableRow data-kind={row.kind}>
      <Cell className="min-w-56 py-2.5">
        <ControllerName row={row} />
      </Cell>
      <Cell numeric>
        <ResourcesLink row={row} />
      </Cell>
      <TwoLines first={row.queueDepth.toLocaleString("en")} second={`backlog age ${backlogText(row)}`} />
      <Cell numeric className="whitespace-nowrap">
        {row.inFlight} of {row.concurrency}
      </Cell>
      <Cell numeric>{row.retrying.toLocaleString("en")}</Cell>
      <TwoLines first={`${errorText(row)} failed`} second={`${row.lastHour.actions.toLocaleString("en")} actions`} />
      <TwoLines
        first={row.looks.toLocaleString("en")}
        second={
          <>
            oldest <OldestLook row={row} />
          </>
        }
      />
      <Cell className="text-right">
        <KindPauseButton row={row} />
      </Cell>
    </TableRow>
  );
}

function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <Cell numeric className="whitespace-nowrap">
      <p>{first}</p>
      <p className="text-muted text-xs">{second}</p>
    </Cell>
  );
}

function ControllerCard({ row }: { row: ControllerRow }) {
  const facts: [string, ReactNode][] = [
    ["Resources", <ResourcesLink key="resources" row={row} />],
    ["Queue", row.queueDepth.toLocaleString("en")],
    ["In flight", `${row.inFlight} of ${row.concurrency}`],
    ["Backlog age", backlogText(row)],
    ["Retrying", row.retrying.toLocaleString("en")],
    ["Failed, last hour", errorText(row)],
    ["Actions, last hour", row.lastHour.actions.toLocaleString("en")],
    ["Looks", row.looks.toLocaleString("en")],
    ["Oldest look", <OldestLook key="oldest" row={row} />],
  ];
  return (
    <li className="px-4 py-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <ControllerName row={row} />
        </div>
        <KindPauseButton row={row} />
      </div>
      <dl className="mt-2 grid grid-cols-1 gap-x-4 gap-y-1 text-xs sm:grid-cols-2">
        {facts.map(([term, value]) => (
          <div key={term} className="flex justify-between gap-2">
            <dt className="text-muted">{term}</dt>
            <dd className="nums text-right">{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function ControllerName({ row }: { row: ControllerRow }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 font-medium">
        {row.kind}
        {row.paused ? <Badge tone="calm">Paused</Badge> : null}
      </p>
      <p className="break-words text-muted text-xs">
        {row.paused ? (
          <>
            by {row.paused.by}: {row.paused.reason}
            {row.paused.until ? (
              <>
                , until <AbsoluteTime at={row.paused.until} />
              </>
            ) : (
              ", until resumed"
            )}
          </>
        ) : (
          row.description
        )}
      </p>
    </>
  );
}

function ResourcesLink({ row }: { row: ControllerRow }) {
  return (
    <Link
      href={resourcesHref({ kind: row.plural })}
      className="inline-flex min-h-6 min-w-6 items-center justify-end max-lg:-my-0.5 rounded underline decoration-line-strong underline-offset-4 hover:decoration-fg"
    >
      {row.resources.toLocaleString("en")}
    </Link>
  );
}

function OldestLook({ row }: { row: ControllerRow }) {
  return <RelativeTime at={row.oldestLook} never={row.resources === 0 ? "nothing to look at" : "not known"} />;
}

function backlogText({ queueDepth, backlogAgeMs }: ControllerRow): string {
  return queueDepth === 0 && backlogAgeMs === 0 ? "none" : durationText(backlogAgeMs);
}

function errorText({ lastHour }: ControllerRow): string {
  if (lastHour.passes === 0) return "0 of 0";
  return `${lastHour.failed.toLocaleString("en")} of ${lastHour.passes.toLocaleString("en")} (${shareOf(lastHour.failed, lastHour.passes)})`;
}
