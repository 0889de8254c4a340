"use client";

import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useQueryState } from "nuqs";
import { Answer } from "@/components/layout/answer";
import { PageBody, PageHeader } from "@/components/layout/page-header";
import { EmptyState } from "@/components/layout/states";
import { LinkButton } from "@/components/ui/button";
import { Skeleton, SkeletonRows } from "@/components/ui/skeleton";
import { TabPanel, Tabs } from "@/components/ui/tabs";
import type { ApiObject } from "@/lib/api/contract";
import { ApiError, type ObjectRef, queries, useLive } from "@/lib/client";
import { ConditionsTab } from "./conditions-tab";
import { DetailActions } from "./detail-actions";
import { DetailHeader } from "./detail-header";
import { HistoryTab } from "./history-tab";
import { PlanTab } from "./plan-tab";
import { StateTab } from "./state-tab";
import { type DetailTab, detailParsers } from "./tabs";
import { TimelineTab } from "./timeline-tab";
import { useTimelineKeys } from "./use-timeline-keys";
import { YamlTab } from "./yaml-tab";

/** A look that finds nothing new changes nothing that the stream would tell; so often its time is asked for. */
const LOOKED_MS = 10_000;

/** Everything about one object: header, then six views of it, each with its own address. */
export function ResourceDetail(of: ObjectRef) {
  const live = useLive().status === "live";
  const query = useQuery({ ...queries.object(of), refetchInterval: live ? LOOKED_MS : false });
  const gone = query.error instanceof ApiError && query.error.status === 404;
  return (
    <PageBody>
      {gone ? (
        <Gone of={of} last={query.data} />
      ) : (
        <Answer query={query} skeleton={<DetailSkeleton />} errorTitle={`${of.name} could not be loaded`}>
          {(object) => <Loaded of={of} object={object} />}
        </Answer>
      )}
    </PageBody>
  );
}

function Loaded({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const [tab, setTab] = useQueryState("tab", detailParsers.tab.withOptions({ history: "push", scroll: false }));
  useTimelineKeys();
  const drift = object.status?.drift?.count;
  const tabs: { value: DetailTab; label: string; count?: number }[] = [
    { value: "state", label: "State", count: drift },
    { value: "plan", label: "Plan", count: object.status?.plan?.actions.length },
    { value: "conditions", label: "Conditions" },
    { value: "timeline", label: "Timeline" },
    { value: "history", label: "History", count: object.metadata.generation },
    { value: "yaml", label: "YAML" },
  ];
  return (
    <>
      <DetailHeader of={of} object={object} actions={<DetailActions of={of} object={object} />} />
      <Tabs value={tab} onValueChange={(next) => void setTab(next)} tabs={tabs} label="Views of this resource">
        <TabPanel value="state">
          <StateTab of={of} object={object} />
        </TabPanel>
        <TabPanel value="plan">
          <PlanTab of={of} object={object} />
        </TabPanel>
        <TabPanel value="conditions">
          <ConditionsTab object={object} />
        </TabPanel>
        <TabPanel value="timeline">
          <TimelineTab of={of} object={object} />
        </TabPanel>
        <TabPanel value="history">
          <HistoryTab of={of} object={object} />
        </TabPanel>
        <TabPanel value="yaml">
          <YamlTab of={of} object={object} />
        </TabPanel>
      </Tabs>
    </>
  );
}

/** What was just seen and is gone now is a deletion; what was never seen may be a wrong address. */
function Gone({ of, last }: { of: ObjectRef; last: ApiObject | undefined }) {
  return (
    <>
      <PageHeader title={of.name} />
      <EmptyState
        icon={SearchX}
        title={last ? `${last.kind} ${of.name} was deleted` : `There is no ${of.name} among the ${of.plural} of ${of.namespace}`}
        actions={
          <LinkButton href="/resources" variant="primary">
            All resources
          </LinkButton>
        }
      >
        {last
          ? `Its last known state was ${last.view.state}: ${last.view.message}`
          : "It may have been deleted, or the address has a mistake."}
      </EmptyState>
    </>
  );
}

function DetailSkeleton() {
  return (
    <div role="status" aria-label="Loading the resource">
      <Skeleton className="mb-2 h-7 w-56" />
      <Skeleton className="mb-4 w-72" />
      <Skeleton className="mb-6 h-24 rounded-lg" />
      <SkeletonRows rows={6} />
    </div>
  );
}
