import Link from "next/link";
import type { ReactNode } from "react";
import { ProportionBar } from "@/components/charts";
import { stateLook } from "@/components/layout/status-look";
import { Card } from "@/components/ui/card";
import { durationText } from "@/components/ui/time-format";
import type { Overview } from "@/lib/api/contract";
import { resourcesHref } from "@/lib/client";
import { STATES, type State } from "@/lib/resource";
import { shareText } from "./sentence";

const OUT_OF_ORDER: State[] = ["Failed", "BackingOff", "Blocked", "Drifted", "Stale"];

/** The numbers, each with what it is a part of. */
export function Tiles({ overview, rangeName }: { overview: Overview; rangeName: string }) {
  const { total, states, passes, timeToConverge } = overview;
  const outOfOrder = OUT_OF_ORDER.reduce((sum, state) => sum + (states[state] ?? 0), 0);
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <Tile
        title="Converged"
        href={resourcesHref({ state: "Converged" })}
        value={states.Converged ?? 0}
        detail={`of ${total.toLocaleString("en")} resources`}
      >
        <ProportionBar
          label={STATES.map((state) => `${stateLook(state).label} ${states[state] ?? 0}`).join(", ")}
          parts={partsOf(states)}
        />
      </Tile>
      <Tile
        title="Need attention"
        href={resourcesHref({ state: OUT_OF_ORDER })}
        value={outOfOrder}
        detail={`of ${total.toLocaleString("en")}: failed, backing off, blocked, drifted or stale`}
      />
      <Tile
        title="Passes that succeeded"
        value={shareText(passes.total - passes.failed, passes.total)}
        detail={
          passes.total === 0
            ? `No pass had anything to do in the ${rangeName}`
            : `${passes.failed.toLocaleString("en")} of ${passes.total.toLocaleString("en")} failed in the ${rangeName}`
        }
      />
      <Tile
        title="Time to converge"
        value={timeToConverge.p50 === null ? "–" : durationText(timeToConverge.p50)}
        detail={
          timeToConverge.p95 === null
            ? `Nothing converged in the ${rangeName}`
            : `median of ${timeToConverge.count.toLocaleString("en")} edits in the ${rangeName}; 95 % within ${durationText(timeToConverge.p95)}`
        }
      />
    </div>
  );
}

function partsOf(states: Overview["states"]) {
  return STATES.map((state) => {
    const { tone, label } = stateLook(state);
    return { key: state, label, tone: tone === "neutral" ? ("calm" as const) : tone, value: states[state] ?? 0 };
  });
}

interface TileProps {
  title: string;
  value: number | string;
  detail: string;
  href?: string;
  children?: ReactNode;
}

function Tile({ title, value, detail, href, children }: TileProps) {
  const text = typeof value === "number" ? value.toLocaleString("en") : value;
  return (
    <Card className="flex min-h-32 flex-col px-3 py-3 sm:px-4">
      <h2 className="font-medium text-muted text-xs">{title}</h2>
      <p className="nums mt-1 font-semibold text-fg text-xl leading-8 sm:text-2xl tracking-tight">
        {href ? (
          <Link href={href} className="rounded underline decoration-transparent underline-offset-4 hover:decoration-line-strong">
            {text}
          </Link>
        ) : (
          text
        )}
      </p>
      <p className="mt-0.5 text-muted text-xs">{detail}</p>
      {children ? <div className="mt-auto pt-3">{children}</div> : null}
    </Card>
  );
}
