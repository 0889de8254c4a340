import { fromIso } from "@/lib/clock";
import { hostOf } from "@/lib/controller";
import { pauseInForce, type Resource } from "@/lib/resource";
import { LOOSE, RESYNC_MS, SPEC } from "./kinds";
import type { Operator } from "./operator";
import { judgePages, shown } from "./pages";
import { EPOCH } from "./schedule";
import type { Universe } from "./universe";

/** From the end of faults, once leases are taken: newest intent is looked at, what can converge has. */
const INTENT_WITHIN_MS = 25_000;
/** After the announced time of the last retry. */
const RETRY_GRACE_MS = 45_000;
/** No announced retry may be further away than the largest backoff of what can heal by itself. */
const LONGEST_MS = 700_000;

/** Checks what must become true once faults have stopped. */
export class Liveness {
  constructor(
    private readonly universe: Universe,
    private readonly operator: Operator,
  ) {}

  /** Runs until everything is where it should be, or a promise is broken. */
  async settle(): Promise<void> {
    const { schedule, oracle } = this.universe;
    const begun = schedule.time;
    const stop = () => oracle.violation !== undefined || this.unsettled() === undefined;
    let limit = begun + 2 * this.universe.leaseMs + INTENT_WITHIN_MS;
    for (;;) {
      await schedule.runUntil(Math.min(limit, schedule.time + 2_000), stop);
      const left = this.unsettled();
      if (oracle.violation || !left) return;
      limit = Math.max(limit, Math.min(begun + LONGEST_MS, this.announced(left.resource) + RETRY_GRACE_MS));
      if (schedule.time >= limit)
        return oracle.demand(false, "I1", left.resource.metadata.name, `${left.why}, ${schedule.time - begun} ms after faults stopped`);
    }
  }

  /** Two resyncs in which what has converged must be silent, and in which all are looked at. */
  async rest(): Promise<void> {
    const { schedule, oracle, store } = this.universe;
    const { tables } = store;
    const quiet = [...tables.rows.values()]
      .filter(({ resource }) => resource.status?.state === "Converged")
      .map(({ resource }) => resource);
    const facts = ({ metadata }: Resource) =>
      [
        tables.rows.get(metadata.uid)?.resource.metadata.resourceVersion,
        oracle.writes.get(metadata.uid),
        tables.passes.get(metadata.uid)?.length,
        JSON.stringify(tables.events.get(metadata.uid)),
      ].join(" ");
    const before = quiet.map(facts);
    const begun = schedule.time;
    await schedule.runUntil(begun + 2.5 * RESYNC_MS, () => oracle.violation !== undefined);
    judgePages(this.universe);
    for (const [index, resource] of quiet.entries())
      oracle.demand(
        facts(resource) === before[index],
        "I6",
        resource.metadata.name,
        `not silent at rest: ${before[index]} became ${facts(resource)}`,
      );
    for (const { resource } of tables.rows.values()) {
      if ((resource.status && resource.status.attempts > 0) || shown(this.universe, resource).state === "Stale") continue;
      const looked = oracle.lookedAt.get(resource.metadata.uid) ?? -1;
      oracle.demand(
        looked > schedule.time - 3 * RESYNC_MS,
        "I14",
        resource.metadata.name,
        `not looked at for ${schedule.time - looked} ms`,
      );
    }
  }

  /** What must hold at the very end, whatever happened. */
  judgeEnd(): void {
    const { oracle, store, canary, targets, trace } = this.universe;
    const { tables } = store;
    for (const [uid, { resource, mayLeave }] of this.operator.acknowledged) {
      const row = tables.rows.get(uid)?.resource;
      const { name, generation } = resource.metadata;
      if (!row) oracle.demand(mayLeave, "I1", name, "it left and nobody asked for that");
      else
        oracle.demand(
          row.metadata.generation >= generation && oracle.sameIntent(row, resource),
          "I1",
          name,
          "an acknowledged intent was lost",
        );
    }
    for (const target of targets.values())
      for (const { mark, key } of target.things.values()) {
        if (!mark || tables.rows.has(mark.uid)) continue;
        const onPurpose = tables.audit.some(({ uid, verb }) => uid === mark.uid && verb === "orphan");
        oracle.demand(onPurpose, "I8", key, "a thing with our mark was left and its object is gone");
      }
    const { rows, events, passes, audit } = tables;
    const text =
      JSON.stringify([[...rows], [...events], [...passes], audit]) + trace.last(4_000, (line) => line.includes(" log: ")).join("\n");
    oracle.demand(!text.includes(canary), "I13", "", "a secret's plaintext was stored or logged");
  }

  private announced({ status }: Resource): number {
    // What a wrong clock announced is kept to by the worker all the same, and nobody else can tell when that is.
    if (this.universe.faults.active.has("wallJump")) return LONGEST_MS;
    return (fromIso(status?.nextAttempt?.at) ?? EPOCH) - EPOCH;
  }

  /** The first object that is not where it should be, and why. */
  private unsettled(): { resource: Resource; why: string } | undefined {
    for (const { resource } of this.universe.store.tables.rows.values()) {
      const why = this.complaint(resource);
      if (why) return { resource, why };
    }
    return undefined;
  }

  private complaint(resource: Resource): string | undefined {
    const { status, metadata, control, kind } = resource;
    const { universe } = this;
    universe.noteHosts();
    const host = hostOf(resource.slice ?? "");
    if (host !== undefined && universe.hostSeenAt(host) < universe.schedule.time) {
      const { state } = shown(universe, resource);
      return state === "Stale" ? undefined : `called ${state}, and no worker is on its host`;
    }
    if (!status || status.observedGeneration !== metadata.generation) return "the newest intent was not looked at";
    if (pauseInForce(control, this.universe.now)) return status.state === "Paused" ? undefined : `paused, and called ${status.state}`;
    if (control.mode !== "Auto" && metadata.deletionTimestamp) return undefined;
    const things = this.universe.target(kind).byMark(metadata.uid);
    if (metadata.deletionTimestamp) return "deletion was not carried out";
    const spec = SPEC.parse(resource.spec);
    const matches = things.length === 1 && things[0]?.value === spec.value && things[0].size === spec.size;
    switch (status.state) {
      case "Converged":
        if (control.mode === "Auto" && universe.store.tables.contests().some(({ uid }) => uid === metadata.uid))
          return "called Converged, and another holds what it claims";
        if (!matches) return `called Converged, and outside is ${JSON.stringify(things)}`;
        // Somebody may have put an equal thing in its place: that is news too.
        return (idIn(status.observed) ?? things[0]?.id) === things[0]?.id ? undefined : "what is there now was not looked at";
      case "Drifted":
        return control.mode === "Auto" ? "drifted" : undefined;
      default:
        return this.mayFail(resource, status.reason) ? undefined : `${status.state} (${status.reason})`;
    }
  }

  /** Failures that no waiting ends: they are explained, and that is all one can ask for. */
  private mayFail({ spec, metadata, kind }: Resource, reason: string): boolean {
    const { oracle } = this.universe;
    const target = this.universe.target(kind);
    if (reason === "Rejected") return yes(spec.value === "hopeless", () => oracle.reach("a hopeless intent was explained"));
    if (reason === "NotConvergent") {
      const stuck = spec.value === "sticky" || target.byMark(metadata.uid).some(({ value }) => value === "sticky");
      return yes(stuck, () => oracle.reach("a correction that does not last was given up"));
    }
    const contest = reason === "Contested" && this.universe.store.tables.contests().find(({ uid }) => uid === metadata.uid);
    if (contest && contest.holder.namespace !== metadata.namespace) oracle.reach("a claim that another tenant holds was waited for");
    if (contest) return true;
    if (reason === "NotOurs") return target.byKey(`${metadata.namespace}/${metadata.name}`)?.mark?.uid !== metadata.uid;
    if (reason !== "DependencyNotReady") return false;
    oracle.reach("a dependency was waited for");
    const key = { kind: LOOSE, namespace: metadata.namespace, name: String(spec.after) };
    const dependency = this.universe.store.tables.byKey(key)?.resource;
    return dependency?.status?.state !== "Converged";
  }
}

function yes(holds: boolean, then: () => void): boolean {
  if (holds) then();
  return holds;
}

/** Of the thing that a report tells of. */
function idIn(observed: unknown): string | undefined {
  return /"id":"(\w+)"/.exec(JSON.stringify(observed))?.[1];
}
