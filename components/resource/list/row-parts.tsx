"use client";

import { useState } from "react";
import { ModeBadge } from "@/components/layout/status-badge";
import { Countdown, RelativeTime } from "@/components/layout/time";
import type { ResourceRow } from "@/lib/api/contract";
import { resourceHref } from "@/lib/client";
import { TextWithTimes } from "../text-with-times";

export function hrefOf(row: ResourceRow): string {
  return resourceHref({ plural: row.plural, namespace: row.namespace, name: row.name });
}

/** Why nothing is done, else what is going on; nothing where all is well. */
export function WhyNot({ row, className }: { row: ResourceRow; className?: string }) {
  const text = row.notActing ?? (row.state === "Converged" ? undefined : row.message);
  if (!text) return null;
  return (
    <span className={className} title={text}>
      <TextWithTimes text={text} />
    </span>
  );
}

export function Drift({ count }: { count: number }) {
  if (count === 0) return <span className="text-faint">–</span>;
  return (
    <span className="font-medium text-warn">
      <span aria-hidden>±{count}</span>
      <span className="sr-only">{count} fields differ</span>
    </span>
  );
}

export function Generation({ row }: { row: ResourceRow }) {
  const behind = row.observedGeneration < row.generation;
  return (
    <span className={behind ? "text-warn" : "text-muted"} title={`Observed ${row.observedGeneration} of ${row.generation}`}>
      {row.observedGeneration}/{row.generation}
    </span>
  );
}

/** When it is tried next, and how often in a row it failed so far. */
export function NextAttempt({ row }: { row: ResourceRow }) {
  if (!row.nextAttemptAt && row.attempts === 0) return <span className="text-faint">–</span>;
  return (
    <>
      {row.nextAttemptAt ? <Countdown to={row.nextAttemptAt} /> : <span className="text-faint">–</span>}
      {row.attempts > 0 ? <span className="nums block text-bad text-xs">{row.attempts} failed</span> : null}
    </>
  );
}

/** The mode, and how long a pause still lasts. */
export function ModeCell({ row }: { row: ResourceRow }) {
  return (
    <>
      <ModeBadge mode={row.mode} />
      {row.paused ? (
        <span className="block text-muted text-xs" title={`Paused by ${row.paused.by}: ${row.paused.reason}`}>
          {row.paused.until ? (
            <>
              resumes <RelativeTime at={row.paused.until} />
            </>
          ) : (
            "until resumed"
          )}
        </span>
      ) : null}
    </>
  );
}

/** A tint over a row that fades away once; the keyframes of fading in, run backwards. */
export const FLASH = "pointer-events-none absolute inset-0 animate-[fade-in_1.4s_ease-in_reverse_both] bg-accent/15";

/** A key that is new with every change of the row while it is in view; undefined for a row that has just come. */
export function useFlash(row: ResourceRow): string | undefined {
  const [first] = useState(row.resourceVersion);
  return row.resourceVersion === first ? undefined : row.resourceVersion;
}
