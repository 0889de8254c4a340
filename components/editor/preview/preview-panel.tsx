"use client";

import { CircleCheck, Minus, Pencil, Plus } from "lucide-react";
import { Badge, type Tone } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Kbd } from "@/components/ui/kbd";
import { SkeletonRows } from "@/components/ui/skeleton";
import type { PlanAnswer } from "@/lib/api/contract";
import { asApiError } from "@/lib/client";
import type { PlannedAction } from "@/lib/resource";
import type { Base, PinnedPreview } from "../state";
import { ChangeList } from "./change-list";
import { summaryOf } from "./summary";

export interface PreviewPanelProps {
  preview: PinnedPreview | undefined;
  current: boolean;
  pending: boolean;
  error: unknown;
  onPreview: () => void;
  /** Why no preview can be made now. */
  hindrance?: string;
}

/** What saving would do, from a dry run on the server: changes of intent, then what the controller would do about them. */
export function PreviewPanel({ preview, current, pending, error, onPreview, hindrance }: PreviewPanelProps) {
  return (
    <div className="flex flex-col gap-3" aria-busy={pending}>
      {error && !pending ? (
        <Callout
          tone="bad"
          role="alert"
          title="The preview could not be made"
          actions={
            <Button size="sm" onClick={onPreview}>
              Try again
            </Button>
          }
        >
          {asApiError(error).message}
        </Callout>
      ) : null}
      {pending ? <SkeletonRows rows={3} /> : null}
      {preview && !pending ? (
        <>
          {current ? null : (
            <Callout
              tone="warn"
              title="Outdated"
              actions={
                <Button size="sm" onClick={onPreview} disabled={hindrance !== undefined}>
                  Preview again
                </Button>
              }
            >
              The intent was edited after this preview was made.
            </Callout>
          )}
          <div className={current ? "" : "border-warn-mark border-l-2 pl-3"}>
            <PreviewAnswer answer={preview.answer} creating={preview.base === undefined} />
          </div>
          <Pin preview={preview} />
        </>
      ) : null}
      {!preview && !pending && !error ? (
        <p className="text-muted">
          {hindrance ?? (
            <>
              A dry run on the server shows what saving would change and do. Nothing is written. <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd>
            </>
          )}
        </p>
      ) : null}
    </div>
  );
}

/** The answer itself, also shown when saving. */
export function PreviewAnswer({ answer, creating }: { answer: PlanAnswer; creating: boolean }) {
  const changes = answer.specChanges ?? [];
  return (
    <div className="flex flex-col gap-4">
      <p className="font-medium">{summaryOf(answer, creating)}</p>
      {answer.blocked ? (
        <Callout tone="warn" title={`In the way: ${answer.blocked.reason}`}>
          {answer.blocked.message}
        </Callout>
      ) : null}
      {creating ? null : (
        <section aria-label="Changes of intent">
          <h3 className="mb-1 font-semibold text-xs">Changes of intent</h3>
          {changes.length > 0 ? (
            <ChangeList diff={changes} label="Changes of intent" sides={{ before: "Saved", after: "Edited" }} />
          ) : (
            <p className="text-muted">The spec stays as it is.</p>
          )}
        </section>
      )}
      <section aria-label="What would be done">
        <h3 className="mb-1 font-semibold text-xs">What would be done</h3>
        <Actions actions={answer.actions} blocked={answer.blocked !== undefined} />
      </section>
      {answer.drift.length > 0 ? (
        <section aria-label="Where reality would differ">
          <h3 className="mb-1 font-semibold text-xs">Where reality would differ at first</h3>
          <ChangeList diff={answer.drift} label="Predicted drift" sides={{ before: "Actual", after: "Desired" }} />
        </section>
      ) : null}
    </div>
  );
}

const EFFECT: Record<PlannedAction["effect"], { tone: Tone; icon: typeof Plus }> = {
  create: { tone: "ok", icon: Plus },
  update: { tone: "info", icon: Pencil },
  delete: { tone: "bad", icon: Minus },
};

function Actions({ actions, blocked }: { actions: readonly PlannedAction[]; blocked: boolean }) {
  if (actions.length === 0)
    return (
      <p className="flex items-center gap-1.5 text-muted">
        {blocked ? null : <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />}
        {blocked ? "Nothing, until that is resolved." : "Nothing: reality already matches."}
      </p>
    );
  return (
    <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
      {actions.map((action, index) => {
        const { tone, icon: Icon } = EFFECT[action.effect];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of a plan is its identity
          <li key={index} className="flex items-start gap-2 px-3 py-2">
            <Badge tone={tone}>
              <Icon aria-hidden />
              {action.effect}
            </Badge>
            <div className="min-w-0 flex-1">
              <p className="break-words">{action.message}</p>
              <p className="break-words text-muted text-xs">{action.target}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Pin({ preview: { base, answer } }: { preview: PinnedPreview }) {
  return (
    <p className="break-all font-mono text-2xs text-muted">
      {pinText(base)} · plan {answer.hash.slice(0, 12)}
      {answer.observedAt ? ` · looked at ${answer.observedAt}` : " · reality could not be looked at"}
    </p>
  );
}

function pinText(base: Base | undefined): string {
  return base ? `on generation ${base.generation}, version ${base.resourceVersion}` : "not saved yet";
}
