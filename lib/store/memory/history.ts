import type { HistoryStore } from "..";
import type { Tables } from "./tables";

export function historyStore(tables: Tables): HistoryStore {
  return {
    revisions: async (uid, limit) => newestFirst(tables.revisions.get(uid), limit),
    events: async (uid, limit) =>
      [...(tables.events.get(uid) ?? [])].sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0)).slice(0, limit),
    passes: async (uid, limit) => newestFirst(tables.passes.get(uid), limit),
    audit: async (entry) => {
      tables.addAudit(entry);
    },
  };
}

function newestFirst<T>(list: T[] | undefined, limit: number): T[] {
  return [...(list ?? [])].reverse().slice(0, limit);
}
