import { CircleCheck, CloudOff } from "lucide-react";
import { RelativeTime } from "@/components/layout/time";
import { Badge } from "@/components/ui/badge";
import { Card, CardHeader } from "@/components/ui/card";
import type { ControllersAnswer, WorkerRow } from "@/lib/api/contract";

/** The processes that carry the loops, and what each of them looks after. */
export function WorkersCard({ workers }: { workers: ControllersAnswer["workers"] }) {
  return (
    <Card aria-labelledby="workers">
      <CardHeader id="workers" title="Workers" description="Processes that carry the loops; each holds the lease of what it looks after" />
      {workers.length === 0 ? (
        <p className="px-4 pt-1 pb-4 text-muted">No worker has ever registered. Start Setpoint with the role all or worker.</p>
      ) : (
        <ul className="divide-y divide-line border-line border-t">
          {workers.map((worker) => (
            <li key={worker.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
              <Badge tone={worker.alive ? "ok" : "calm"} className={worker.alive ? "" : "hatched"}>
                {worker.alive ? <CircleCheck aria-hidden /> : <CloudOff aria-hidden />}
                {worker.alive ? "Alive" : "Gone"}
              </Badge>
              <p className="min-w-0 flex-1 basis-56 break-words">
                <span className="font-medium">{worker.host}</span>{" "}
                <span className="nums text-muted">
                  pid {worker.pid}, role {worker.role}, version {worker.version}
                </span>
              </p>
              <p className="text-muted text-xs">{looksAfter(worker)}</p>
              <p className="text-muted text-xs">
                started <RelativeTime at={worker.startedAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function looksAfter({ shards, holdsHost, host }: WorkerRow): string {
  const parts = [
    ...(shards > 0 ? [`${shards.toLocaleString("en")} ${shards === 1 ? "shard" : "shards"}`] : []),
    ...(holdsHost ? [`host ${host}`] : []),
  ];
  return parts.length === 0 ? "looks after nothing" : parts.join(", ");
}
