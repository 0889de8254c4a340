"use client";

import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useQueryState } from "nuqs";
import { EmptyState, ErrorState } from "@/components/layout/states";
import { RelativeTime } from "@/components/layout/time";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Segmented } from "@/components/ui/segmented";
import { SkeletonRows } from "@/components/ui/skeleton";
import type { ApiObject } from "@/lib/api/contract";
import { type ObjectRef, queries } from "@/lib/client";
import { groupFields } from "../difference";
import { FieldOwners } from "../field-owners";
import { FieldTable } from "../field-table";
import { SpecOwners } from "../spec-owners";
import { detailParsers } from "./tabs";

const NAMES = { desired: "Desired", actual: "Actual" };

/** Desired against actual, field by field, as looked at just now. */
export function StateTab({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const plan = useQuery(queries.plan(of));
  const [fields, setFields] = useQueryState("fields", detailParsers.fields.withOptions({ history: "replace" }));
  if (plan.isPending) return <SkeletonRows rows={6} />;
  if (plan.isError) {
    return (
      <div className="flex flex-col gap-3">
        <ErrorState error={plan.error} title="Reality could not be looked at" onRetry={() => void plan.refetch()} />
        <LastKnown object={object} />
      </div>
    );
  }
  const compared = plan.data.fields;
  const differing = compared.filter((field) => !field.same).length;
  const groups = groupFields(compared, fields === "differences");
  return (
    <section aria-label="Desired against actual">
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 basis-52">
          <span className={differing > 0 ? "font-medium text-warn" : "text-fg"}>{verdict(differing, compared.length)}</span>
          <span className="text-muted">
            {" · looked at "}
            <RelativeTime at={plan.data.observedAt} />
          </span>
        </p>
        <Segmented
          label="Fields shown"
          value={fields}
          onValueChange={(value) => void setFields(value === "all" ? null : value)}
          options={[
            { value: "all", label: `All ${compared.length}` },
            { value: "differences", label: `Differences ${differing}` },
          ]}
        />
        <Button size="sm" variant="ghost" busy={plan.isFetching} onClick={() => void plan.refetch()}>
          <RefreshCw aria-hidden />
          Look again
        </Button>
      </div>
      {plan.data.blocked ? (
        <Callout tone="warn" title={plan.data.blocked.reason} className="mb-3">
          {plan.data.blocked.message}
        </Callout>
      ) : null}
      {groups.length > 0 ? (
        <FieldTable
          groups={groups}
          names={NAMES}
          caption="Desired against actual by field, with who set it"
          note={(path) => <FieldOwners managed={object.metadata.managedFields ?? []} path={path} />}
        />
      ) : (
        <NoFields all={compared.length} />
      )}
      <SpecOwners spec={object.spec} managed={object.metadata.managedFields ?? []} />
    </section>
  );
}

function verdict(differing: number, compared: number): string {
  if (compared === 0) return "Nothing could be compared";
  return differing === 0 ? "No field differs" : `${differing} of ${compared} fields differ`;
}

function NoFields({ all }: { all: number }) {
  if (all > 0) return <EmptyState title="Nothing differs">{`All ${all} compared fields are as they should be.`}</EmptyState>;
  return <EmptyState title="Nothing to compare">This look could not compare any field; the Plan tab says why.</EmptyState>;
}

/** What the last report said, where looking fails now: known to be old, never shown as current. */
function LastKnown({ object }: { object: ApiObject }) {
  const drift = object.status?.drift;
  const seen = object.status?.lastSeenAt ?? object.freshness.observedAt;
  return (
    <p className="text-muted">
      Last known: {drift ? `${drift.count} fields differed (${drift.paths.join(", ")})` : "no drift reported"}
      {seen ? (
        <>
          {", seen "}
          <RelativeTime at={seen} />
        </>
      ) : null}
      .
    </p>
  );
}
