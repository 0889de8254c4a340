import { Activity, CircleCheck, CircleX, Hand, PencilLine, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { RelativeTime } from "@/components/layout/time";
import { cn } from "@/components/ui/class-names";
import { durationText } from "@/components/ui/time-format";
import type { PassEntry, RevisionEntry } from "@/lib/api/contract";
import { DifferenceList } from "../difference-list";
import { TextWithTimes } from "../text-with-times";
import type { TimelineEntry } from "../timeline";
import { PassDetail, passTitle } from "./pass-detail";

/** One thing that happened. What fails now stands unfolded above the list, so here everything begins folded. */
export function TimelineItem({ entry }: { entry: TimelineEntry }) {
  switch (entry.type) {
    case "edit":
      return <Edit revision={entry.revision} at={entry.at} />;
    case "control":
      if ("pass" in entry) return <Held pass={entry.pass} earlier={entry.earlier} />;
      return (
        <Item icon={<Hand aria-hidden />} tone="info" at={entry.at} title={entry.reason}>
          <p className="text-muted">
            <TextWithTimes text={entry.message} />
          </p>
        </Item>
      );
    case "event":
      return (
        <Item
          icon={<Activity aria-hidden />}
          tone={entry.event.type === "Warning" ? "warn" : "calm"}
          at={entry.at}
          title={entry.event.reason}
        >
          <p className="break-words text-muted">
            <TextWithTimes text={entry.event.message} />
            {entry.event.count > 1 ? (
              <span>
                {` (${entry.event.count} times since `}
                <RelativeTime at={entry.event.firstAt} />)
              </span>
            ) : null}
          </p>
        </Item>
      );
    default:
      return "quiet" in entry ? <Quiet passes={entry.quiet} /> : <Pass pass={entry.pass} earlier={entry.earlier} />;
  }
}

function Edit({ revision, at }: { revision: RevisionEntry; at: string }) {
  const took = revision.timeToConvergeMs;
  return (
    <Item
      icon={<PencilLine aria-hidden />}
      tone="accent"
      at={at}
      title={`Generation ${revision.generation} by ${revision.author}`}
      detail={
        revision.diff.length > 0 ? <DifferenceList diff={revision.diff} caption={`Changes of generation ${revision.generation}`} /> : null
      }
    >
      {revision.message ? <p className="break-words">{revision.message}</p> : null}
      <p className="text-muted text-xs">
        {revision.diff.length > 0
          ? `${revision.diff.length} ${revision.diff.length === 1 ? "field" : "fields"} changed`
          : "No field of spec changed"}
        {took === undefined ? "" : ` · converged after ${durationText(took)}`}
      </p>
    </Item>
  );
}

function Quiet({ passes }: { passes: readonly PassEntry[] }) {
  const [newest] = passes;
  if (!newest) return null;
  const title = passes.length === 1 ? "Converged" : `${passes.length} passes that found nothing to do`;
  return (
    <Item icon={<CircleCheck aria-hidden />} tone="ok" at={newest.startedAt} title={title}>
      <p className="text-muted">{newest.message || "Reality matches intent."}</p>
    </Item>
  );
}

function Held({ pass, earlier }: { pass: PassEntry; earlier: readonly PassEntry[] }) {
  const detail = pass.actions.length > 0 ? <PassDetail pass={pass} earlier={earlier} /> : null;
  return (
    <Item icon={<Hand aria-hidden />} tone="info" at={pass.startedAt} title={pass.reason} detail={detail}>
      <p className="break-words text-muted">
        <TextWithTimes text={pass.message} />
      </p>
    </Item>
  );
}

function Pass({ pass, earlier }: { pass: PassEntry; earlier: readonly PassEntry[] }) {
  const failed = pass.outcome === "failed" || pass.actions.some((action) => action.outcome === "failed");
  return (
    <Item
      icon={failed ? <CircleX aria-hidden /> : <Wrench aria-hidden />}
      tone={failed ? "bad" : pass.outcome === "corrected" ? "ok" : "calm"}
      at={pass.startedAt}
      title={passTitle(pass)}
      detail={<PassDetail pass={pass} earlier={earlier} />}
    >
      {pass.outcome === "corrected" ? null : <p className="line-clamp-2 break-words text-muted">{pass.message}</p>}
      {earlier.length > 0 ? <p className="text-muted text-xs">{`and ${earlier.length} earlier with the same error`}</p> : null}
    </Item>
  );
}

const TONES = { ok: "text-ok", bad: "text-bad", warn: "text-warn", info: "text-info", accent: "text-accent", calm: "text-calm" } as const;

interface ItemProps {
  icon: ReactNode;
  tone: keyof typeof TONES;
  at: string;
  title: string;
  children?: ReactNode;
  /** What unfolds. */
  detail?: ReactNode;
}

/** One entry on the rail. What unfolds uses the platform's own disclosure, so that keyboard and search in page work. */
function Item({ icon, tone, at, title, children, detail }: ItemProps) {
  return (
    <li className="relative flex gap-3 pb-4 before:absolute before:top-6 before:bottom-0 before:left-2.75 before:w-px before:bg-line last:before:hidden">
      <span className={cn("mt-0.5 flex size-6 shrink-0 items-center justify-center rounded-full bg-sunken [&_svg]:size-3.5", TONES[tone])}>
        {icon}
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-3">
          <h3 className="min-w-0 break-words font-medium">{title}</h3>
          <span className="text-muted text-xs">
            <RelativeTime at={at} />
          </span>
        </div>
        {children}
        {detail ? (
          <details className="group mt-1">
            <summary
              data-timeline-item
              className="focus-inset inline-flex min-h-6 items-center rounded text-accent text-xs hover:underline"
            >
              <span className="group-open:hidden">Show details</span>
              <span className="hidden group-open:inline">Hide details</span>
              <span className="sr-only">{` of ${title}`}</span>
            </summary>
            <div className="mt-1">{detail}</div>
          </details>
        ) : null}
      </div>
    </li>
  );
}
