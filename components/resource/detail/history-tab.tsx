"use client";

import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { EmptyState, ErrorState } from "@/components/layout/states";
import { RelativeTime } from "@/components/layout/time";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import { durationText } from "@/components/ui/time-format";
import type { ApiObject, RevisionEntry } from "@/lib/api/contract";
import { type ObjectRef, queries } from "@/lib/client";
import { ConvergenceChart } from "./convergence-chart";
import { RevertButton } from "./revert";
import { RevisionCompare } from "./revision-compare";
import { detailParsers } from "./tabs";

/** Every version of intent: who, when, why; any two compared; an old one brought back as a new one. */
export function HistoryTab({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const revisions = useQuery(queries.revisions(of));
  const [{ from, to }, setCompared] = useQueryStates(
    { from: detailParsers.from, to: detailParsers.to },
    { history: "push", scroll: false },
  );
  if (revisions.isPending) return <SkeletonRows rows={5} />;
  if (revisions.isError)
    return <ErrorState error={revisions.error} title="The history could not be loaded" onRetry={() => void revisions.refetch()} />;
  const { items } = revisions.data;
  if (items.length === 0) return <EmptyState title="No revisions">Every change of spec leaves one.</EmptyState>;

  const byGeneration = (generation: number | null) => items.find((revision) => revision.generation === generation);
  const older = byGeneration(from);
  const newer = byGeneration(to);
  const compare = (revision: RevisionEntry, index: number) => {
    const before = items[index + 1];
    void setCompared({ from: before?.generation ?? revision.generation, to: revision.generation });
  };
  return (
    <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <section aria-label="Revisions" className="flex min-w-0 flex-col gap-4">
        {older && newer ? (
          <RevisionCompare
            key={`${from}-${to}`}
            revisions={items}
            from={older}
            to={newer}
            newest={object.metadata.generation}
            onChange={(next) => void setCompared(next)}
            onClose={() => void setCompared(null)}
          />
        ) : null}
        <Card>
          <ol className="divide-y divide-line">
            {items.map((revision, index) => (
              <li key={revision.generation}>
                <RevisionLine
                  revision={revision}
                  current={index === 0}
                  comparing={revision.generation === to || revision.generation === from}
                >
                  {items[index + 1] ? (
                    <Button size="sm" onClick={() => compare(revision, index)}>
                      {revision.diff.length} {revision.diff.length === 1 ? "change" : "changes"}
                      <span className="sr-only"> of generation {revision.generation}</span>
                    </Button>
                  ) : (
                    <span className="text-muted text-xs">created</span>
                  )}
                  {index === 0 ? null : <RevertButton of={of} object={object} revision={revision} />}
                </RevisionLine>
              </li>
            ))}
          </ol>
        </Card>
      </section>
      <aside aria-label="Time to converge" className="min-w-0">
        <ConvergenceChart revisions={items} />
      </aside>
    </div>
  );
}

interface RevisionLineProps {
  revision: RevisionEntry;
  current: boolean;
  comparing: boolean;
  children: React.ReactNode;
}

function RevisionLine({ revision, current, comparing, children }: RevisionLineProps) {
  const took = revision.timeToConvergeMs;
  return (
    <div className={`flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 ${comparing ? "bg-accent-soft/50" : ""}`}>
      <span className="nums w-10 shrink-0 font-semibold text-base">
        <span className="sr-only">Generation </span>
        {revision.generation}
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <p className="break-words">
          {revision.message || <span className="text-muted italic">no message</span>}{" "}
          {current ? <Badge tone="accent">current</Badge> : null}
        </p>
        <p className="text-muted text-xs">
          {revision.author} · <RelativeTime at={revision.at} />
          {" · "}
          {took === undefined ? "not converged" : `converged after ${durationText(took)}`}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">{children}</div>
    </div>
  );
}
