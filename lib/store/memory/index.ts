/** The ports of the store in memory, for simulations: the same meaning as PostgreSQL, proved by the same contract suite. */
import { randomUUID } from "node:crypto";
import type { Clock } from "@/lib/clock";
import type { ChangeSignal, EngineStore, HistoryStore, ResourceStore } from "..";
import { engineStore } from "./engine";
import { historyStore } from "./history";
import { resourceStore } from "./resources";
import { Tables } from "./tables";

export { isHeld as holds, leases } from "./leases";
export type { AuditRow, LeaseRow, Row, WorkerRow } from "./tables";
export { Tables } from "./tables";

export interface MemoryStore {
  resources: ResourceStore;
  history: HistoryStore;
  engine: EngineStore;
  signal: ChangeSignal;
  /** What is stored, for who judges it. */
  tables: Tables;
}

/** An empty store whose time is that of `clock`. Nothing is ever waited for: each call is done before its promise is given out. */
export function openMemoryStore(clock: Pick<Clock, "now">, newUid: () => string = randomUUID, shards?: number): MemoryStore {
  const tables = new Tables(clock, newUid, shards);
  return {
    resources: resourceStore(tables),
    history: historyStore(tables),
    engine: engineStore(tables),
    signal: {
      subscribe(listener) {
        tables.listeners.add(listener);
        return () => tables.listeners.delete(listener);
      },
      onMove(listener) {
        tables.moveListeners.add(listener);
        return () => tables.moveListeners.delete(listener);
      },
      healthy: () => true,
    },
    tables,
  };
}
