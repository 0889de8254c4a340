"use client";

import { asTexts } from "@/components/resource/difference";
import { LineDiff } from "@/components/resource/line-diff";
import { Value } from "@/components/resource/value";
import type { Difference } from "@/lib/resource";

/** What is told apart: what is there now, and what would be there. */
export interface Sides {
  before: string;
  after: string;
}

/** Differences for a narrow place: each field with its two sides below it, long texts line by line. */
export function ChangeList({ diff, sides, label }: { diff: readonly Difference[]; sides: Sides; label: string }) {
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line rounded-lg border border-line">
      {diff.map((difference) => (
        <li key={difference.path} className="min-w-0 px-3 py-2">
          <p className="break-words font-mono font-semibold text-xs">{difference.path}</p>
          {difference.message ? <p className="text-muted text-xs">{difference.message}</p> : null}
          <Change difference={difference} sides={sides} />
        </li>
      ))}
    </ul>
  );
}

function Change({ difference: { path, actual, desired }, sides }: { difference: Difference; sides: Sides }) {
  const texts = asTexts(actual, desired);
  if (texts) return <LineDiff before={texts.before} after={texts.after} label={`Lines of ${path}`} />;
  return (
    <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-2 gap-y-0.5 text-xs">
      <dt className="text-muted">{sides.before}</dt>
      <dd className="min-w-0 break-words text-bad">
        <span aria-hidden>− </span>
        <Value value={actual} />
      </dd>
      <dt className="text-muted">{sides.after}</dt>
      <dd className="min-w-0 break-words text-ok">
        <span aria-hidden>+ </span>
        <Value value={desired} />
      </dd>
    </dl>
  );
}
