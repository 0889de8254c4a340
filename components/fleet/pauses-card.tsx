import Link from "next/link";
import { AbsoluteTime, Countdown } from "@/components/layout/time";
import { Card, CardHeader } from "@/components/ui/card";
import type { Overview } from "@/lib/api/contract";
import { resourceHref } from "@/lib/client";

/** Pauses that end by themselves within a day: what will be acted on again, and when. */
export function PausesCard({ pauses }: { pauses: Overview["pausesEnding"] }) {
  return (
    <Card aria-labelledby="pauses">
      <CardHeader id="pauses" title="Pauses that end within a day" />
      {pauses.length === 0 ? (
        <p className="px-4 pt-1 pb-4 text-muted">None.</p>
      ) : (
        <ul className="divide-y divide-line border-line border-t">
          {pauses.map((pause) => (
            <li key={`${pause.plural}/${pause.namespace}/${pause.name}`} className="px-4 py-2.5">
              <p className="flex items-baseline justify-between gap-3">
                <Link href={resourceHref(pause)} className="truncate rounded font-medium hover:underline">
                  {pause.name} <span className="font-normal text-muted">{pause.kind}</span>
                </Link>
                <Countdown to={pause.until} className="text-xs" />
              </p>
              <p className="break-words text-muted text-xs">
                by {pause.by}, until <AbsoluteTime at={pause.until} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
