"use client";

import { EmptyState, FilteredEmptyState } from "@/components/layout/states";
import { Button, LinkButton } from "@/components/ui/button";
import { Pagination } from "@/components/ui/pagination";
import type { ResourcePage } from "@/lib/api/contract";
import { describeFilter } from "./filter";
import { ResourceCards } from "./resource-cards";
import { ResourceTable } from "./resource-table";
import type { FilterControls } from "./use-filter";
import type { Selecting } from "./use-selection";

interface ListAnswerProps {
  page: ResourcePage;
  outdated: boolean;
  controls: FilterControls;
  selecting: Selecting;
}

/** One page of rows, or why there are none. */
export function ListAnswer({ page, outdated, controls, selecting }: ListAnswerProps) {
  const { filter } = controls;
  if (page.rows.length === 0) {
    const filters = describeFilter(filter);
    if (page.total > 0) return <BeyondEnd onFirst={() => controls.goTo(1)} />;
    return filters.length > 0 ? <FilteredEmptyState filters={filters} onClear={controls.clear} /> : <FirstRun />;
  }
  return (
    <>
      <ResourceTable
        rows={page.rows}
        sort={filter.sort}
        onSort={controls.sortBy}
        selection={selecting.selection}
        onTogglePage={selecting.togglePage}
        onToggleRow={selecting.toggle}
        outdated={outdated}
      />
      <ResourceCards
        rows={page.rows}
        selection={selecting.selection}
        onToggleRow={(row) => selecting.toggle(row, false)}
        outdated={outdated}
      />
      <div className="border-line border-t">
        <Pagination page={page.page} limit={page.limit} total={page.total} onPage={controls.goTo} noun="resources" />
      </div>
    </>
  );
}

function BeyondEnd({ onFirst }: { onFirst: () => void }) {
  return <EmptyState title="This page is beyond the end" actions={<Button onClick={onFirst}>First page</Button>} />;
}

function FirstRun() {
  return (
    <EmptyState
      title="Nothing is declared yet"
      actions={
        <LinkButton variant="primary" href="/resources/new">
          Declare the first resource
        </LinkButton>
      }
    >
      A resource says what should be: processes that run, a file and its content, a PostgreSQL role. Setpoint compares it with reality and
      corrects what differs, again and again.
    </EmptyState>
  );
}
