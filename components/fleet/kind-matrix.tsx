import Link from "next/link";
import { StatusIcon } from "@/components/layout/status-badge";
import { stateLook } from "@/components/layout/status-look";
import { Card, CardHeader } from "@/components/ui/card";
import { Cell, Column, Table, TableBody, TableHead, TableRow } from "@/components/ui/table";
import type { Overview } from "@/lib/api/contract";
import { resourcesHref } from "@/lib/client";
import { STATES } from "@/lib/resource";

const LINK =
  "nums inline-flex min-h-6 min-w-6 items-center justify-end rounded underline decoration-line-strong underline-offset-4 hover:decoration-fg";

/** How many of each kind are in each state; states that nobody is in are left out. */
export function KindMatrix({ byKind }: { byKind: Overview["byKind"] }) {
  const shown = STATES.filter((state) => byKind.some((row) => (row.states[state] ?? 0) > 0));
  return (
    <Card aria-labelledby="by-kind">
      <CardHeader id="by-kind" title="By kind" />
      <Table caption="Resources by kind and state">
        <TableHead>
          <tr>
            <Column>Kind</Column>
            <Column numeric>All</Column>
            {shown.map((state) => (
              <Column key={state} numeric>
                <span className="inline-flex items-center gap-1">
                  <StatusIcon look={stateLook(state)} className="size-3.5" />
                  {stateLook(state).label}
                </span>
              </Column>
            ))}
          </tr>
        </TableHead>
        <TableBody>
          {byKind.map((row) => (
            <TableRow key={row.kind}>
              <Cell className="font-medium">
                <Link href={resourcesHref({ kind: row.plural })} className="rounded hover:underline">
                  {row.kind}
                </Link>
              </Cell>
              <Cell numeric>
                <Link href={resourcesHref({ kind: row.plural })} className={LINK}>
                  {row.total.toLocaleString("en")}
                </Link>
              </Cell>
              {shown.map((state) => (
                <Cell key={state} numeric>
                  <Count count={row.states[state] ?? 0} href={resourcesHref({ kind: row.plural, state })} />
                </Cell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

function Count({ count, href }: { count: number; href: string }) {
  if (count === 0) return <span className="text-faint">0</span>;
  return (
    <Link href={href} className={LINK}>
      {count.toLocaleString("en")}
    </Link>
  );
}
