"use client";

import { Checkbox } from "@/components/ui/checkbox";
import { cn } from "@/components/ui/class-names";
import { Column, Table, TableBody, TableHead } from "@/components/ui/table";
import type { ResourceRow } from "@/lib/api/contract";
import type { Sort, SortField } from "./filter";
import { ResourceTableRow } from "./resource-table-row";
import { isSelected, pageState, type Selection } from "./selection";

interface ResourceTableProps {
  rows: readonly ResourceRow[];
  sort: Sort;
  onSort: (field: SortField) => void;
  selection: Selection;
  onTogglePage: () => void;
  onToggleRow: (row: ResourceRow, range: boolean) => void;
  /** What is shown belongs to the filter before; the new answer is on its way. */
  outdated: boolean;
}

/** The rows of one page as a real table, for screens that have the room. */
export function ResourceTable(props: ResourceTableProps) {
  const { rows, selection, outdated } = props;
  const state = pageState(selection, rows);
  return (
    <Table
      caption="Resources"
      aria-busy={outdated}
      wrapperClassName="max-md:hidden"
      className={cn("table-fixed min-w-[56rem] transition-opacity", outdated && "opacity-60")}
    >
      <TableHead>
        <tr>
          <Column className="w-11 pr-0">
            <Checkbox
              aria-label="Select all rows of this page"
              checked={state === "all"}
              indeterminate={state === "some"}
              onChange={props.onTogglePage}
            />
          </Column>
          <SortColumn field="state" {...props}>
            State
          </SortColumn>
          <SortColumn field="name" {...props} className="w-[18%]">
            Name
          </SortColumn>
          <SortColumn field="driftCount" {...props} numeric className="w-18">
            Drift
          </SortColumn>
          <Column numeric className="w-14" title="Observed generation of current generation">
            Gen.
          </Column>
          <SortColumn field="lastConvergedAt" {...props} className="w-28">
            Converged
          </SortColumn>
          <SortColumn field="nextAttemptAt" {...props} className="w-32">
            Next attempt
          </SortColumn>
          <Column className="w-28">Mode</Column>
        </tr>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <ResourceTableRow
            key={row.uid}
            row={row}
            selected={isSelected(selection, row.uid)}
            onToggle={(range) => props.onToggleRow(row, range)}
          />
        ))}
      </TableBody>
    </Table>
  );
}

interface SortColumnProps {
  field: SortField;
  sort: Sort;
  onSort: (field: SortField) => void;
  numeric?: boolean;
  className?: string;
  children: React.ReactNode;
}

function SortColumn({ field, sort, onSort, numeric, className, children }: SortColumnProps) {
  const direction = sort.field === field ? (sort.descending ? "descending" : "ascending") : "none";
  return (
    <Column sort={direction} onSort={() => onSort(field)} numeric={numeric} className={className}>
      {children}
    </Column>
  );
}
