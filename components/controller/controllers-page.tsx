"use client";

import { useQuery } from "@tanstack/react-query";
import { Answer } from "@/components/layout/answer";
import { PageBody, PageHeader } from "@/components/layout/page-header";
import { EmptyState } from "@/components/layout/states";
import { Callout } from "@/components/ui/callout";
import { Card } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import type { ControllersAnswer } from "@/lib/api/contract";
import { queries } from "@/lib/client";
import { ControllerTable } from "./controller-table";
import { silentTargets } from "./silent-targets";
import { SilentTargetsCard } from "./silent-targets-card";
import { WorkersCard } from "./workers-card";

export function ControllersPage() {
  const query = useQuery(queries.controllers());
  return (
    <PageBody>
      <PageHeader title="Controllers" description="One loop per kind: it observes, plans and applies one action at a time." />
      <Answer query={query} skeleton={<ControllersSkeleton />} errorTitle="The controllers could not be loaded">
        {(answer) => <ControllersContent answer={answer} />}
      </Answer>
    </PageBody>
  );
}

function ControllersContent({ answer }: { answer: ControllersAnswer }) {
  const silent = silentTargets(answer.controllers);
  const alive = answer.workers.filter((worker) => worker.alive).length;
  return (
    <div className="flex flex-col gap-4">
      {answer.unowned.length > 0 ? <Unowned unowned={answer.unowned} anyAlive={alive > 0} /> : null}
      {answer.shards.lagging + answer.lagging.length > 0 ? <Lagging shards={answer.shards} hosts={answer.lagging} /> : null}
      {silent.length > 0 ? <SilentTargetsCard targets={silent} /> : null}
      {answer.controllers.length === 0 ? (
        <Card>
          <EmptyState title="No kinds are installed">A kind is a folder under controllers; this build has none.</EmptyState>
        </Card>
      ) : (
        <ControllerTable rows={answer.controllers} />
      )}
      <WorkersCard workers={answer.workers} />
    </div>
  );
}

function Unowned({ unowned, anyAlive }: { unowned: ControllersAnswer["unowned"]; anyAlive: boolean }) {
  return (
    <Callout
      tone="bad"
      title={anyAlive ? "Nobody looks after a part of the fleet" : "No worker is alive: nothing is looked at or corrected"}
    >
      <ul>
        {unowned.map(({ host, resources }) => (
          <li key={host ?? ""}>
            {host === undefined ? "No worker holds the shards of" : `No worker is running on the host ${host}:`}{" "}
            {resources.toLocaleString("en")} {resources === 1 ? "resource, which is stale." : "resources, which are stale."} Start a worker
            {host === undefined ? "" : " there"}.
          </li>
        ))}
      </ul>
    </Callout>
  );
}

function Lagging({ shards, hosts }: { shards: ControllersAnswer["shards"]; hosts: string[] }) {
  const parts = [
    ...(shards.lagging > 0
      ? [`${shards.lagging.toLocaleString("en")} of ${(shards.owned + shards.unowned).toLocaleString("en")} shards`]
      : []),
    ...hosts.map((host) => `the host ${host}`),
  ];
  return (
    <Callout tone="bad" title="Looks come too late">
      <p>
        {parts.join(" and ")}: workers hold them and do not look at everything in time. What is looked at too rarely is stale until they do.
      </p>
    </Callout>
  );
}

function ControllersSkeleton() {
  return (
    <Card>
      <SkeletonRows rows={6} />
    </Card>
  );
}
