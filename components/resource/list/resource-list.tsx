"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Answer } from "@/components/layout/answer";
import { useRefusal } from "@/components/layout/me";
import { PageBody, PageHeader } from "@/components/layout/page-header";
import { Button, LinkButton } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import { queries } from "@/lib/client";
import { BulkBar } from "./bulk-bar";
import { BulkDialog } from "./bulk-dialog";
import { matchQuery, PAGE_SIZE } from "./filter";
import { ListAnswer } from "./list-answer";
import { ListToolbar } from "./list-toolbar";
import { countSelected } from "./selection";
import { useDebounced } from "./use-debounced";
import { useFilter } from "./use-filter";
import { useListKeys } from "./use-list-keys";
import { useSelection } from "./use-selection";

/** Typing settles for this long before the server is asked. */
const TYPING_MS = 200;

export type BulkAction = "pause" | "resume" | "reconcile";

/** All resources of all kinds: the server filters, sorts, counts and pages; the URL says how. */
export function ResourceList() {
  const controls = useFilter();
  const { filter } = controls;
  const text = useDebounced(`${filter.q}\n${filter.label}`, TYPING_MS);
  const [q = "", label = ""] = text.split("\n");
  const { sort, drifted, ...rest } = filter;
  const query = useQuery(
    queries.resources({
      ...rest,
      q,
      label,
      drifted: drifted || undefined,
      sort: `${sort.descending ? "-" : ""}${sort.field}`,
      limit: PAGE_SIZE,
    }),
  );
  const selecting = useSelection(matchQuery(filter), query.data?.rows ?? []);
  const [action, setAction] = useState<BulkAction>();
  const total = query.data?.total ?? 0;
  const count = countSelected(selecting.selection, total);
  const refused = useRefusal("control");
  const begin = (wanted: BulkAction) => (count > 0 && !refused ? setAction(wanted) : undefined);
  useListKeys({ rows: query.data?.rows ?? [], selecting, onBulk: begin });

  return (
    <PageBody>
      <PageHeader title="Resources" description={<Total total={query.data?.total} />} actions={<NewButton />} />
      <Card className="overflow-clip">
        <ListToolbar controls={controls} facets={query.data?.facets} />
        <Answer
          query={query}
          skeleton={<SkeletonRows rows={12} className="border-line border-t" />}
          errorTitle="The resources could not be loaded"
        >
          {(page) => <ListAnswer page={page} outdated={query.isPlaceholderData} controls={controls} selecting={selecting} />}
        </Answer>
      </Card>
      {count > 0 ? <BulkBar selecting={selecting} total={total} refused={refused} onAction={begin} /> : null}
      {action ? (
        <BulkDialog
          action={action}
          selection={selecting.selection}
          filter={filter}
          page={query.data}
          onRefetch={() => void query.refetch()}
          onClose={(done) => {
            setAction(undefined);
            if (done) selecting.clear();
          }}
        />
      ) : null}
    </PageBody>
  );
}

function Total({ total }: { total: number | undefined }) {
  if (total === undefined) return <>Everything that is declared, and how reality compares</>;
  return (
    <span className="nums" role="status">
      {total.toLocaleString("en")} {total === 1 ? "resource" : "resources"}
    </span>
  );
}

function NewButton() {
  const refused = useRefusal("edit");
  if (refused) {
    return (
      <Button variant="primary" disabled title={refused}>
        New resource
      </Button>
    );
  }
  return (
    <LinkButton variant="primary" href="/resources/new">
      New resource
    </LinkButton>
  );
}
