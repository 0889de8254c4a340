"use client";

import { CircleDot, CirclePause, CloudOff, type LucideIcon, RefreshCw, Timer } from "lucide-react";
import { Button, buttonStyle } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { cn } from "@/components/ui/class-names";
import { Popover } from "@/components/ui/popover";
import { timeOfDayText } from "@/components/ui/time-format";
import { type LiveState, useLive } from "@/lib/client";
import { toIso } from "@/lib/clock";
import { usePreference } from "./preferences";
import { RelativeTime } from "./time";

interface Look {
  label: string;
  icon: LucideIcon;
  className: string;
  meaning: string;
}

function lookOf({ status, held, lastOkAt, offsetMs }: LiveState, zone: "utc" | "local"): Look {
  const since = lastOkAt === undefined ? "" : ` since ${timeOfDayText(lastOkAt + offsetMs, zone)}`;
  switch (status) {
    case "live":
      return { label: "Live", icon: CircleDot, className: "text-ok", meaning: "Changes appear as they happen." };
    case "connecting":
      return { label: "Connecting", icon: RefreshCw, className: "text-muted", meaning: "The stream of changes is being opened." };
    case "reconnecting":
      return {
        label: "Reconnecting",
        icon: RefreshCw,
        className: "text-warn",
        meaning: "The stream of changes broke and is being opened again.",
      };
    case "polling":
      return {
        label: "Every 15 s",
        icon: Timer,
        className: "text-warn",
        meaning: "No stream of changes can be had: the page asks every 15 seconds.",
      };
    case "paused":
      return {
        label: held > 0 ? `Paused, ${held} new` : "Paused",
        icon: CirclePause,
        className: "text-calm",
        meaning: "You paused updates: what is shown stands still.",
      };
    case "stale":
      return {
        label: `Stale${since}`,
        icon: CloudOff,
        className: "text-bad",
        meaning: `Setpoint has not answered${since}. What is shown may be outdated.`,
      };
  }
}

/** Whether what is shown is live, and the switch that holds it still (WCAG 2.2.2). */
export function LivePill() {
  const live = useLive();
  const [zone] = usePreference("zone");
  const look = lookOf(live, zone);
  const Icon = look.icon;
  return (
    <>
      <Popover
        label="Live updates"
        align="end"
        className="w-72"
        trigger={
          <button
            type="button"
            className={cn(buttonStyle({ variant: "ghost", size: "sm" }), "rounded-full border-line px-2", look.className)}
            data-live={live.status}
          >
            <Icon aria-hidden />
            <span className={cn("max-w-48 truncate", live.status === "live" && "max-sm:sr-only")}>{look.label}</span>
          </button>
        }
      >
        <p className="font-medium">{look.label}</p>
        <p className="mt-1 text-muted text-xs">{look.meaning}</p>
        <p className="mt-1 text-muted text-xs">
          Last sign of life:{" "}
          <RelativeTime at={live.lastOkAt === undefined ? undefined : toIso(live.lastOkAt + live.offsetMs)} never="none yet" />
        </p>
        <Button size="sm" className="mt-3" onClick={() => live.setPaused(live.status !== "paused")}>
          {live.status === "paused" ? "Resume updates" : "Pause updates"}
        </Button>
      </Popover>
      <span role="status" className="sr-only">
        {live.status === "live" || live.status === "connecting" ? "" : look.meaning}
      </span>
    </>
  );
}

/** Says across the page that nothing has answered for a while. */
export function StaleBanner() {
  const live = useLive();
  const [zone] = usePreference("zone");
  if (live.status !== "stale") return null;
  return (
    <Callout tone="bad" className="rounded-none border-x-0 border-t-0 px-4 sm:px-6">
      {lookOf(live, zone).meaning}
    </Callout>
  );
}
