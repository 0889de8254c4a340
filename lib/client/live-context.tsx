"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { ChangeNotice } from "@/lib/api/contract";
import { systemClock } from "@/lib/clock";
import { outdatedBy, type Plurals, type Urgency } from "./keys";
import { LiveHub, type LiveState } from "./live";
import { queries } from "./queries";
import { startTicker, subscribeTick, tickNow } from "./ticker";

const HubContext = createContext<LiveHub | undefined>(undefined);

/** Opens the tab's one stream while mounted; every page below shares it. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [hub] = useState(() => hubFor(client));
  useEffect(() => {
    hub.start();
    return () => hub.stop();
  }, [hub]);
  return <HubContext value={hub}>{children}</HubContext>;
}

function hubFor(client: QueryClient): LiveHub {
  return new LiveHub({
    clock: systemClock,
    open: () => new EventSource("/api/console/stream"),
    outdate: (notices, urgency) => outdate(client, notices, urgency),
    // Through the cache, so that a session which has ended leads to the sign-in page as it does everywhere.
    probe: async () => (await client.fetchQuery({ ...queries.me(), staleTime: 0, retry: false })).serverTime,
  });
}

function outdate(client: QueryClient, notices: readonly ChangeNotice[] | "everything", urgency: Urgency | "everything"): void {
  if (notices === "everything" || urgency === "everything") return void client.invalidateQueries();
  void client.invalidateQueries({ predicate: outdatedBy(notices, urgency, pluralsIn(client)) });
}

function pluralsIn(client: QueryClient): Plurals {
  return new Map((client.getQueryData(queries.kinds().queryKey) ?? []).map((kind) => [kind.name, kind.plural]));
}

const NOT_LIVE: LiveState = { status: "connecting", offsetMs: 0, held: 0 };
const noSubscription = () => () => undefined;

/** The state of the tab's event stream, and the switch that holds updates back. */
export function useLive(): LiveState & { setPaused: (paused: boolean) => void } {
  const hub = useContext(HubContext);
  const state = useSyncExternalStore(
    hub?.subscribe ?? noSubscription,
    () => hub?.getState() ?? NOT_LIVE,
    () => NOT_LIVE,
  );
  return { ...state, setPaused: (paused) => hub?.setPaused(paused) };
}

/**
 * The server's time in milliseconds, moving once a second (or as often as given). 0 while the page is drawn on the server and
 * before it is hydrated: show the absolute time then.
 */
export function useServerNow(everyMs: 1000 | 10_000 = 1000): number {
  const { offsetMs } = useLive();
  useEffect(startTicker, []);
  const now = useSyncExternalStore(
    subscribeTick,
    () => tickNow(everyMs),
    () => 0,
  );
  return now === 0 ? 0 : now + offsetMs;
}
