import { CloudOff } from "lucide-react";
import { AbsoluteTime, Countdown } from "@/components/layout/time";
import { Badge } from "@/components/ui/badge";
import { Card, CardHeader } from "@/components/ui/card";
import { type SilentTarget, waitingText } from "./silent-targets";

/** Targets that do not answer, one entry each, however many objects and kinds wait for them. */
export function SilentTargetsCard({ targets }: { targets: readonly SilentTarget[] }) {
  return (
    <Card aria-labelledby="silent-targets">
      <CardHeader
        id="silent-targets"
        title="Targets that do not answer"
        description="One object at a time tries each of them; all that wait follow once one is answered"
      />
      <ul className="divide-y divide-line border-line border-t">
        {targets.map(({ target, message, since, nextAttemptAt, waiting }) => (
          <li key={target} className="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-2.5">
            <Badge tone="bad">
              <CloudOff aria-hidden />
              No answer
            </Badge>
            <div className="min-w-0 flex-1 basis-64">
              <p className="break-words font-medium">{target}</p>
              <p className="break-words text-muted text-xs">{message}</p>
            </div>
            <div className="text-muted text-xs sm:text-right">
              <p>{waitingText(waiting)}</p>
              <p>
                tried again <Countdown to={nextAttemptAt} before="in " due="now" className="font-medium text-fg" />
              </p>
              <p>
                since <AbsoluteTime at={since} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
