"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Answer } from "@/components/layout/answer";
import { PageBody, PageHeader } from "@/components/layout/page-header";
import { Segmented } from "@/components/ui/segmented";
import type { Overview } from "@/lib/api/contract";
import { queries, RANGES, type Range } from "@/lib/client";
import { AttentionCard } from "./attention-card";
import { FirstRun } from "./first-run";
import { KindMatrix } from "./kind-matrix";
import { OverviewSkeleton } from "./overview-skeleton";
import { PausesCard } from "./pauses-card";
import { RecentCard } from "./recent-card";
import { StateSentence } from "./state-sentence";
import { Tiles } from "./tiles";
import { TrendCard } from "./trend-card";

const RANGE_NAMES: Record<Range, string> = { "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days" };

export function OverviewPage() {
  const [range, setRange] = useQueryState("range", parseAsStringLiteral(RANGES).withDefault("24h").withOptions({ history: "push" }));
  const query = useQuery(queries.overview(range));
  return (
    <PageBody>
      <PageHeader
        title="Overview"
        description={query.data && query.data.total > 0 ? <StateSentence overview={query.data} /> : <span>&nbsp;</span>}
        actions={
          <Segmented
            label="Range"
            value={range}
            onValueChange={(next) => void setRange(next)}
            options={RANGES.map((value) => ({ value, label: value, title: RANGE_NAMES[value] }))}
          />
        }
      />
      <Answer query={query} skeleton={<OverviewSkeleton />} errorTitle="The overview could not be loaded">
        {(overview) => (overview.total === 0 ? <FirstRun /> : <OverviewContent overview={overview} range={range} />)}
      </Answer>
    </PageBody>
  );
}

function OverviewContent({ overview, range }: { overview: Overview; range: Range }) {
  return (
    <div className="flex flex-col gap-4">
      <Tiles overview={overview} rangeName={RANGE_NAMES[range].toLowerCase()} />
      <AttentionCard rows={overview.attention} />
      <TrendCard trend={overview.trend} range={range} rangeName={RANGE_NAMES[range].toLowerCase()} />
      <KindMatrix byKind={overview.byKind} />
      <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
        <RecentCard recent={overview.recent} />
        <PausesCard pauses={overview.pausesEnding} />
      </div>
    </div>
  );
}
