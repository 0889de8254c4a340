import { FINALIZER, type PlannedAction, pauseInForce, type Resource } from "@/lib/resource";
import type { EngineStore, Fence, PermitVerdict } from "..";
import { handOver, isHeld, leases, leave, renew } from "./leases";
import { writeReports } from "./reports";
import { after, asChange } from "./resources";
import type { Tables } from "./tables";

const FEED_RETENTION_MS = 3_600_000;
const HISTORY_RETENTION_MS = 30 * 86_400_000;

export function engineStore(tables: Tables): EngineStore {
  return {
    feed: async (revision, limit) => feed(tables, revision, limit),
    load: async (slices) => ({
      resources: [...tables.rows.values()]
        .filter(({ slice }) => slices.includes(slice))
        .map(({ resource, slice }) => ({ resource, slice })),
      revision: String(tables.current),
    }),
    renew: async (beat) => renew(tables, beat),
    handOver: async (holder, slices) => handOver(tables, holder, slices),
    leave: async (holder) => leave(tables, holder),
    leases: async () => leases(tables),
    permit: async (uid, generation, fence, action, deleting) => permit(tables, uid, generation, fence, action, deleting),
    async settle(permitId, outcome, error) {
      const row = tables.audit.find(({ id }) => id === permitId);
      if (row) Object.assign(row, { outcome, error, finishedAt: tables.now });
    },
    report: async (reports, batch) => writeReports(tables, reports, batch),
    contests: async () => tables.contests(),
    kindPauses: async () => Object.fromEntries(tables.kindPauses),
    requestLook: async (uid) => tables.wake(uid),
    prune: async () => prune(tables),
  };
}

function feed(tables: Tables, revision: string, limit: number) {
  const changes = after(tables, revision)
    .filter(({ wakes }) => wakes)
    .slice(0, limit)
    .map(asChange);
  return { changes, revision: (changes.length < limit ? String(tables.current) : changes.at(-1)?.resourceVersion) ?? revision };
}

function permit(tables: Tables, uid: string, generation: number, fence: Fence, action: PlannedAction, deleting: boolean): PermitVerdict {
  const row = tables.rows.get(uid);
  if (!row) return { granted: false, reason: "Gone" };
  const { resource, slice } = row;
  const reason = refusal(tables, resource, slice, generation, fence);
  if (reason) return { granted: false, reason };
  const { kind, metadata } = resource;
  const { namespace, name } = metadata;
  const detail = { ...action, deleting };
  const entry = { actor: `controller/${kind}`, verb: "act", kind, namespace, name, uid, generation, detail, outcome: "pending" as const };
  return { granted: true, id: tables.addAudit(entry) };
}

function refusal(tables: Tables, { kind, metadata, control }: Resource, slice: string, generation: number, fence: Fence) {
  if (metadata.generation !== generation) return "StaleGeneration";
  if (!isHeld(tables, fence) || slice !== fence.slice) return "LeaseLost";
  const kindPause = tables.kindPauses.get(kind);
  if (pauseInForce(control, tables.now) || (kindPause && pauseInForce({ ...control, paused: kindPause }, tables.now))) return "Paused";
  if (control.mode !== "Auto") return "ModeChanged";
  if (!metadata.finalizers?.includes(FINALIZER)) return "NoFinalizer";
  const waits = metadata.deletionTimestamp === undefined && tables.contests().some(({ uid }) => uid === metadata.uid);
  return waits ? "Contested" : undefined;
}

/** Retention. The newest entry of the feed stays: it is the store's current revision. */
function prune(tables: Tables): void {
  const keepFrom = tables.changes.findIndex(({ at }, index) => at >= tables.now - FEED_RETENTION_MS || index === tables.changes.length - 1);
  if (keepFrom > 0) tables.changes.splice(0, keepFrom);
  const oldest = tables.now - HISTORY_RETENTION_MS;
  for (const [uid, list] of tables.passes)
    tables.passes.set(
      uid,
      list.filter(({ startedAt }) => Date.parse(startedAt) >= oldest),
    );
  for (const [uid, list] of tables.events)
    tables.events.set(
      uid,
      list.filter(({ lastAt }) => Date.parse(lastAt) >= oldest),
    );
}
