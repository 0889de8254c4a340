"use client";

import { useQuery } from "@tanstack/react-query";
import { useQueryState } from "nuqs";
import { EmptyState, ErrorState } from "@/components/layout/states";
import { Button } from "@/components/ui/button";
import { SkeletonRows } from "@/components/ui/skeleton";
import type { ApiObject } from "@/lib/api/contract";
import { type ObjectRef, queries } from "@/lib/client";
import { countTypes, failingNow, mergeTimeline, TIMELINE_TYPES, type TimelineEntry, type TimelineType } from "../timeline";
import { ConvergenceChart } from "./convergence-chart";
import { FailingNow } from "./failing-now";
import { detailParsers } from "./tabs";
import { TimelineItem } from "./timeline-item";

const WORDS: Record<TimelineType, string> = { edit: "Edits", pass: "Passes", error: "Errors", event: "Events", control: "Control" };

/** Edits, passes, errors, events and the operator's hand in one order. */
export function TimelineTab({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const revisions = useQuery(queries.revisions(of));
  const passes = useQuery(queries.passes(of));
  const events = useQuery(queries.events(of));
  const [show, setShow] = useQueryState("show", detailParsers.show.withOptions({ history: "push", scroll: false }));
  const failed = [revisions, passes, events].find((query) => query.isError && query.data === undefined);
  if (failed?.error)
    return <ErrorState error={failed.error} title="The timeline could not be loaded" onRetry={() => void failed.refetch()} />;
  if (!revisions.data || !passes.data || !events.data) return <SkeletonRows rows={8} />;

  const entries = mergeTimeline({
    revisions: revisions.data.items,
    passes: passes.data.items,
    events: events.data.items,
    control: object.control,
  });
  const shown = show.length === 0 ? entries : entries.filter((entry) => show.includes(entry.type));
  const failing = object.view.state === "Converged" ? undefined : failingNow(entries);
  return (
    <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <section aria-label="Timeline" className="min-w-0">
        <h2 className="sr-only">What happened, newest first</h2>
        <TypeFilter entries={entries} show={show} onShow={(next) => void setShow(next.length > 0 ? next : null)} />
        {failing ? <FailingNow pass={failing.pass} earlier={failing.earlier.length} object={object} /> : null}
        {shown.length > 0 ? (
          <ol className="relative">
            {shown.map((entry) => (
              <TimelineItem key={entry.id} entry={entry} />
            ))}
          </ol>
        ) : (
          <NothingShown filtered={entries.length > 0} onClear={() => void setShow(null)} />
        )}
      </section>
      <aside aria-label="Time to converge" className="min-w-0">
        <ConvergenceChart revisions={revisions.data.items} />
      </aside>
    </div>
  );
}

interface TypeFilterProps {
  entries: readonly TimelineEntry[];
  show: readonly TimelineType[];
  onShow: (show: TimelineType[]) => void;
}

function TypeFilter({ entries, show, onShow }: TypeFilterProps) {
  const counts = countTypes(entries);
  const toggle = (type: TimelineType) => onShow(show.includes(type) ? show.filter((other) => other !== type) : [...show, type]);
  return (
    <fieldset className="mb-3 flex flex-wrap items-center gap-1.5">
      <legend className="sr-only">Show only</legend>
      {TIMELINE_TYPES.map((type) => (
        <Button
          key={type}
          size="sm"
          aria-pressed={show.includes(type)}
          disabled={counts[type] === 0 && !show.includes(type)}
          className={show.includes(type) ? "border-accent bg-accent-soft text-accent" : undefined}
          onClick={() => toggle(type)}
        >
          {WORDS[type]}
          <span className="nums text-2xs">{counts[type]}</span>
        </Button>
      ))}
    </fieldset>
  );
}

function NothingShown({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered) return <EmptyState title="Nothing happened yet">The first edit, pass or event appears here by itself.</EmptyState>;
  return <EmptyState title="Nothing of these types" actions={<Button onClick={onClear}>Show everything</Button>} />;
}
