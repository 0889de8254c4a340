import type { ReactNode } from "react";
import { PageHeader } from "@/components/layout/page-header";
import { HealthBadge, StatusBadge } from "@/components/layout/status-badge";
import { AbsoluteTime, Countdown, RelativeTime } from "@/components/layout/time";
import { Callout } from "@/components/ui/callout";
import type { ApiObject } from "@/lib/api/contract";
import type { ObjectRef } from "@/lib/client";
import type { AttemptCause } from "@/lib/resource";
import { Labels } from "../labels";
import { TextWithTimes } from "../text-with-times";
import { ModeSwitch } from "./mode-switch";

/** Why the next look is when it is, in words. */
const CAUSES: Record<AttemptCause, string> = {
  Retry: "retry after a failure",
  Throttled: "the target asked to wait",
  Unauthorised: "retry after a refusal",
  Invalid: "retry; the intent was refused",
  Conflict: "retry after a conflict",
  Blocked: "looks again at what blocks it",
  NotConvergent: "the correction did not last",
  Contested: "somebody else keeps changing it back",
  TargetDown: "waits for its target to answer",
  Waiting: "waits for the target",
  PauseEnds: "the pause ends",
};

interface DetailHeaderProps {
  of: ObjectRef;
  object: ApiObject;
  actions: ReactNode;
}

/** What it is, how it is, why nothing happens if nothing does, and when it will. */
export function DetailHeader({ of, object, actions }: DetailHeaderProps) {
  const { metadata, view, control, freshness } = object;
  // The line below says it too, or the banner does: once is enough.
  const told = view.state === "Stale" || view.notActing?.toLowerCase().includes(view.message.toLowerCase());
  return (
    <>
      <PageHeader
        className="mb-3"
        title={metadata.name}
        description={
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span>
              {object.kind} in {metadata.namespace}
            </span>
            <Labels labels={metadata.labels} limit={8} />
          </div>
        }
        actions={actions}
      />
      <div className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <StatusBadge state={view.state} mode={control.mode} />
        <HealthBadge health={view.health} state={view.state} mode={control.mode} />
        {told ? null : (
          <span className="min-w-0 break-words text-muted">
            <TextWithTimes text={view.message} />
          </span>
        )}
      </div>
      {freshness.stale ? <StaleBanner object={object} /> : null}
      {view.notActing ? <NotActing sentence={view.notActing} /> : null}
      {metadata.deletionTimestamp ? <Deleting object={object} /> : null}
      <Facts of={of} object={object} />
    </>
  );
}

/** The one sentence that says what keeps the loop from acting. */
function NotActing({ sentence }: { sentence: string }) {
  return (
    <p className="mb-3 rounded-lg border border-line bg-sunken px-3 py-2" data-testid="not-acting">
      <span className="font-semibold">Not acting because: </span>
      <TextWithTimes text={sentence} />
    </p>
  );
}

function StaleBanner({ object }: { object: ApiObject }) {
  const { message, observedAt } = object.freshness;
  return (
    <Callout tone="warn" title="Stale: what is shown may no longer be true" className="mb-3">
      {message ?? "Nobody has looked at it for too long."} Last looked at <RelativeTime at={observedAt} />.
    </Callout>
  );
}

function Deleting({ object }: { object: ApiObject }) {
  const waits = object.metadata.finalizers ?? [];
  return (
    <Callout tone="calm" title="Being deleted" className="mb-3">
      {object.control.deletionPolicy === "Orphan" ? "What it made outside stays as it is." : "What it made outside is removed first."} Asked
      for <RelativeTime at={object.metadata.deletionTimestamp} />
      {waits.length > 0 ? `; waits for ${waits.join(", ")}` : ""}.
    </Callout>
  );
}

function Facts({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const { status, metadata, freshness, control } = object;
  const observed = status?.observedGeneration ?? 0;
  return (
    <dl className="mb-5 grid grid-cols-2 gap-x-4 gap-y-3 rounded-lg border border-line bg-surface px-4 py-3 sm:grid-cols-3 xl:grid-cols-[max-content_repeat(5,minmax(0,1fr))] xl:gap-x-6">
      <Fact term="Mode" wide>
        <ModeSwitch of={of} object={object} />
      </Fact>
      <Fact term="Generation">
        <span className="nums">{metadata.generation}</span>
        <span className={observed < metadata.generation ? "text-warn" : "text-muted"}>
          {observed === metadata.generation ? " observed" : ` · ${observed === 0 ? "none" : observed} observed`}
        </span>
      </Fact>
      <Fact term="Next attempt">
        <NextAttempt object={object} />
      </Fact>
      <Fact term="Looked at">
        {freshness.observedAt ? <RelativeTime at={freshness.observedAt} /> : <span className="text-muted">not yet</span>}
      </Fact>
      <Fact term="Converged">
        <RelativeTime at={status?.lastConvergedAt} never="not yet" />
      </Fact>
      <Fact term={status && status.attempts > 0 ? "Failed attempts" : "On deletion"}>
        {status && status.attempts > 0 ? (
          <>
            <span className="nums font-medium text-bad">{status.attempts}</span>
            <span className="text-muted"> in a row, last </span>
            <RelativeTime at={status.lastAttemptAt} />
          </>
        ) : control.deletionPolicy === "Orphan" ? (
          "leave what is outside"
        ) : (
          "remove what is outside"
        )}
      </Fact>
    </dl>
  );
}

function NextAttempt({ object }: { object: ApiObject }) {
  const { status, view, control } = object;
  const pauseEnds = view.state === "Paused" ? control.paused?.until : undefined;
  const at = pauseEnds ?? view.nextAttemptAt;
  const cause = pauseEnds ? "PauseEnds" : status?.nextAttempt?.cause;
  if (at) {
    return (
      <>
        <Countdown to={at} className="font-medium" />
        <span className="block text-muted text-xs">
          {cause ? `${CAUSES[cause]} · ` : ""}
          <AbsoluteTime at={at} timeOnly />
        </span>
      </>
    );
  }
  if (view.state === "Progressing" && view.reason === "NewIntent") return <span>at once</span>;
  if (status?.wakeOn) return <span className="break-words">when {status.wakeOn}</span>;
  return <span className="text-muted">with the next change or look</span>;
}

function Fact({ term, wide, children }: { term: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "min-w-0 max-sm:col-span-2" : "min-w-0"}>
      <dt className="text-muted text-xs">{term}</dt>
      <dd className="mt-0.5 min-w-0 break-words">{children}</dd>
    </div>
  );
}
