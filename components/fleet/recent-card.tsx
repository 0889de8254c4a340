import Link from "next/link";
import { RelativeTime } from "@/components/layout/time";
import { Badge, type Tone } from "@/components/ui/badge";
import { Card, CardHeader } from "@/components/ui/card";
import type { Overview } from "@/lib/api/contract";
import { resourceHref } from "@/lib/client";
import { deedOf } from "./deed";

type Entry = Overview["recent"][number];

/** Who or what changed what, newest first, with the result. */
export function RecentCard({ recent }: { recent: Overview["recent"] }) {
  return (
    <Card aria-labelledby="recent">
      <CardHeader id="recent" title="Recent changes" description="Edits by people and actions on the outside" />
      {recent.length === 0 ? (
        <p className="px-4 pt-1 pb-4 text-muted">Nothing has changed yet.</p>
      ) : (
        <ol className="divide-y divide-line border-line border-t">
          {recent.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be alike in everything; they never move
            <RecentRow key={`${entry.at}${entry.verb}${entry.name}${index}`} entry={entry} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function RecentRow({ entry }: { entry: Entry }) {
  const { who, did, what, linked } = deedOf(entry);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-4 py-2">
      <p className="min-w-0 break-words">
        <span className="font-medium">{who}</span> <span className="text-muted">{did}</span>{" "}
        {linked ? (
          <Link href={resourceHref(entry)} className="rounded underline decoration-line-strong underline-offset-4 hover:decoration-fg">
            {what}
          </Link>
        ) : (
          what
        )}
      </p>
      <span className="text-muted text-xs">
        <RelativeTime at={entry.at} />
      </span>
      <p className="line-clamp-2 min-w-0 break-words text-muted text-xs">{entry.message}</p>
      <span className="text-right">
        <Badge tone={toneOf(entry.outcome)}>{entry.outcome}</Badge>
      </span>
    </li>
  );
}

function toneOf(outcome: string): Tone {
  if (/fail|error|denied/i.test(outcome)) return "bad";
  return /withheld|pending|intended/i.test(outcome) ? "warn" : "neutral";
}
