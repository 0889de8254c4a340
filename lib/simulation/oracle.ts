import { BACKOFF } from "@/lib/engine";
import { REASONS, type Reason } from "@/lib/errors";
import { deepEqual, type Resource, type Status } from "@/lib/resource";
import type { EngineStore, Fence, PermitVerdict, Report } from "@/lib/store";
import type { Tables } from "@/lib/store/memory";
import { holds } from "@/lib/store/memory";
import { RESYNC_MS } from "./kinds";
import type { Process, Schedule } from "./schedule";
import type { Sometimes } from "./sometimes";
import { MEDDLED, type Target, type Thing } from "./target";
import type { Invariant, Violation } from "./violation";

interface Permit {
  id: string;
  fence: Fence;
  generation: number;
  grantedAt: number;
}

export interface WriteCall {
  process: Process;
  resource: Resource;
  effect: "create" | "update" | "delete";
}

const isReason = (reason: string): reason is Reason => Object.hasOwn(REASONS, reason);

/** Watches everything from outside and says which promise was broken first. Knows the true time and both sides of every call. */
export class Oracle {
  violation?: Violation;
  readonly reached = new Set<Sometimes>();
  /** Acknowledged pauses: since when, and by object or kind. */
  readonly pauses = new Map<string, { since: number; until: number }>();
  /** Writes of workers that are on their way, by object. */
  readonly inFlight = new Map<string, Set<Process>>();
  /** When an object was last looked at by anybody. */
  readonly lookedAt = new Map<string, number>();
  /** Writes that workers began, by object. */
  readonly writes = new Map<string, number>();
  readonly dead = new Set<string>();
  /** Objects of which somebody else removed the thing, or of which half was written. */
  readonly removed = new Set<string>();
  readonly halved = new Set<string>();
  /** Names whose object has left the store once. */
  readonly left = new Set<string>();
  /** Objects that wait for a claim which another namespace holds. */
  private readonly waited = new Set<string>();
  private readonly dropped = new Map<string, number>();
  private readonly failedBy = new Map<string, string>();
  private readonly permits = new Map<string, Permit>();
  private readonly looks = new Map<string, number>();
  private readonly written = new Map<string, number>();
  private readonly applied = new Map<string, number>();
  private readonly seen = new Map<string, Thing[][]>();
  private readonly judgedTargets = new Map<Target, number>();
  /** The revision up to which changes were. */
  private judged = 0;

  constructor(
    private readonly schedule: Schedule,
    private readonly tables: Tables,
    private readonly targets: Map<string, Target>,
  ) {}

  demand(holdsTrue: boolean, invariant: Invariant, subject: string, message: string): void {
    if (!holdsTrue) this.violation ??= { invariant, subject, message, at: this.schedule.time };
  }

  reach(state: Sometimes): void {
    this.reached.add(state);
  }

  // ---- outside calls ------------------------------------------------------------------------------------------------

  permitAnswered(process: Process, uid: string, generation: number, fence: Fence, verdict: PermitVerdict): void {
    if (verdict.granted) {
      this.permits.set(`${process.name}/${uid}`, { id: verdict.id, fence, generation, grantedAt: this.schedule.time });
      return;
    }
    const { reason } = verdict;
    if (reason === "LeaseLost" || reason === "StaleGeneration" || reason === "Paused" || reason === "ModeChanged" || reason === "Contested")
      this.reach(`a permit was refused: ${reason}`);
  }

  writeStarts({ process, resource, effect }: WriteCall): void {
    const { uid, name } = resource.metadata;
    const now = this.schedule.time;
    const key = `${process.name}/${uid}`;
    this.count(this.writes, uid);
    const { host = process.host } = resource.spec;
    this.demand(host === process.host, "I3", name, `${process.name} on ${process.host} began to ${effect} a thing of ${String(host)}`);
    const permit = this.permits.get(key);
    this.permits.delete(key);
    const row = this.tables.audit.find(({ id }) => id === permit?.id);
    const recorded = row?.uid === uid && row.verb === "act" && row.outcome === "pending" && row.generation === resource.metadata.generation;
    this.demand(recorded, "I11", name, `${process.name} began to ${effect} without an intent-to-act row of its own`);
    if (permit) this.judgePermit(permit, process, name, resource.kind, uid);
    const looked = this.looks.get(key) ?? -1;
    this.demand(looked >= (this.written.get(key) ?? 0), "I16", name, `${process.name} acted on a look older than its own last write`);
    this.written.set(key, now);
    const flying = this.inFlight.get(uid) ?? new Set();
    this.inFlight.set(uid, flying);
    for (const other of flying)
      this.demand(
        other.state !== "running" || !permit || !holds(this.tables, { ...permit.fence, holder: other.name }),
        "I3",
        name,
        `two calls in flight for one object`,
      );
    flying.add(process);
  }

  writeEnds({ process, resource }: WriteCall): void {
    this.inFlight.get(resource.metadata.uid)?.delete(process);
  }

  private judgePermit(permit: Permit, process: Process, name: string, kind: string, uid: string): void {
    const now = this.schedule.time;
    const held = holds(this.tables, permit.fence) && permit.fence.holder === process.name;
    this.demand(held, "I3", name, `${process.name} began an outside write after its lease had ended`);
    for (const pause of [this.pauses.get(uid), this.pauses.get(kind)]) {
      if (pause && now >= pause.until) this.reach("a pause ended by itself");
      if (!pause || now >= pause.until || now < pause.since + 1_000) continue;
      this.demand(permit.grantedAt <= pause.since, "I9", name, `${process.name} got a permit after a pause was acknowledged`);
      this.demand(now - permit.grantedAt > 1_000, "I9", name, `${process.name} began an outside write over a second after a pause`);
    }
  }

  /** A write arrives at the target, before it does anything. */
  writeArrives({ process, resource, effect }: WriteCall, thing: Thing | undefined): void {
    const { uid, name } = resource.metadata;
    if (!this.inFlight.get(uid)?.has(process)) this.reach("a change arrived at the target after the worker had given up on it");
    if (thing?.value === MEDDLED && effect === "update") this.reach("what somebody else changed was healed");
    if (effect === "delete" && resource.metadata.deletionTimestamp === undefined) this.reach("a duplicate was removed");
    if (thing) this.demand(thing.mark?.uid === uid, "I8", name, `${effect} of a thing that does not carry our mark`);
  }

  /** It was done. Where a target has conditions, what is there never goes back. */
  writeLanded({ resource, effect }: WriteCall, half: boolean): void {
    const { uid, name } = resource.metadata;
    if (effect === "create" && this.removed.delete(uid)) this.reach("what somebody else removed was healed");
    if (half) this.halved.add(uid);
    else if (effect === "update" && this.halved.delete(uid)) this.reach("half of a change was repaired");
    const target = this.targets.get(resource.kind);
    if (!target?.strict) return;
    const newest = this.applied.get(uid) ?? 0;
    for (const { generation } of target.byMark(uid)) {
      this.demand(generation >= newest, "I4", name, `generation ${generation} was applied over ${newest}`);
      this.applied.set(uid, Math.max(newest, generation));
    }
  }

  lookStarts(process: Process, uid: string): void {
    this.looks.set(`${process.name}/${uid}`, this.schedule.time);
  }

  lookServed(process: Process, uid: string, things: Thing[]): void {
    this.lookedAt.set(uid, this.schedule.time);
    const key = `${process.name}/${uid}`;
    const list = this.seen.get(key) ?? [];
    list.push(things);
    this.seen.set(key, list);
  }

  /** Just answered: of several that claim one outside thing only its holder may write there. */
  judgeClaims(uid: string, { granted }: PermitVerdict): void {
    const resource = granted ? this.tables.rows.get(uid)?.resource : undefined;
    if (!resource || resource.metadata.deletionTimestamp !== undefined) return;
    const waits = this.tables.contests().some((contest) => contest.uid === uid);
    this.demand(!waits, "I2", resource.metadata.name, "it may write to what another holds by its claim");
  }

  // ---- reports ------------------------------------------------------------------------------------------------------

  /** Runs a report of a worker and judges what it changed. */
  async judgeReports(process: Process, reports: Report[], write: EngineStore["report"]): Promise<{ dropped: string[] }> {
    const before = reports.map(({ uid }) => this.tables.rows.get(uid)?.resource);
    const held = reports.map(({ fence }) => fence.holder === process.name && holds(this.tables, fence));
    const answer = await write(reports);
    for (const [index, report] of reports.entries()) {
      const [was, now] = [before[index], this.tables.rows.get(report.uid)?.resource];
      if (!was || now === was) continue;
      const { name, generation } = was.metadata;
      const same = reports.map((each, at) => ({ ...each, held: held[at] === true })).filter(({ uid }) => uid === report.uid);
      this.demand(
        same.some((each) => each.held),
        "I3",
        name,
        `${process.name} reported after its lease had ended`,
      );
      this.demand(
        same.some((each) => each.generation === generation),
        "I4",
        name,
        "a report of another generation was written",
      );
      if (report.status && report.generation === generation) this.judgeStatus(process, was, report.status, reports);
    }
    for (const { uid, pass } of reports) if (pass) this.judgeHistory(uid);
    for (const { uid, pass } of reports)
      if (answer.dropped.includes(uid) && pass?.outcome === "failed") this.count(this.dropped, `${process.name}/${uid}`);
    if (answer.dropped.length > 0) this.reach("a report was dropped because its lease or generation had moved on");
    return answer;
  }

  /** Passes of one object never run at once, so that no two records of it are the same. */
  private judgeHistory(uid: string): void {
    const texts = (this.tables.passes.get(uid) ?? []).slice(-20).map(({ id: _id, ...pass }) => JSON.stringify(pass));
    this.demand(
      new Set(texts).size === texts.length,
      "I2",
      this.tables.rows.get(uid)?.resource.metadata.name ?? uid,
      "a pass is recorded twice",
    );
  }

  private judgeStatus(process: Process, was: Resource, status: Status, batch: Report[]): void {
    const { uid, name } = was.metadata;
    const stored = this.tables.rows.get(uid)?.resource.status ?? status;
    this.judgeTenants(was, status);
    this.demand(explained(stored), "I5", name, `${stored.state} (${stored.reason}) without an explanation or a next attempt`);
    if (status.state === "Converged") {
      const matches = (things: Thing[]) => things.length === 1 && things[0]?.value === was.spec.value && things[0]?.size === was.spec.size;
      const truly = this.seen.get(`${process.name}/${uid}`)?.some(matches) ?? false;
      this.demand(truly, "I1", name, `Converged at generation ${status.observedGeneration} and nobody saw that`);
      this.demand(status.observedGeneration === was.metadata.generation, "I1", name, "observedGeneration is not what was worked on");
    }
    const before = was.status;
    this.noteFailures(process, uid, before, status);
    const outcomes = batch.filter((report) => report.uid === uid).map(({ pass }) => pass?.outcome);
    const rested = outcomes.includes("converged") || outcomes.includes("withheld");
    if (status.attempts === 0 || rested || before?.observedGeneration !== status.observedGeneration) return;
    this.demand(
      status.attempts >= before.attempts,
      "I7",
      name,
      `attempts fell from ${before.attempts} to ${status.attempts} without success`,
    );
    // Attempts whose report was refused were made all the same.
    const refused = this.dropped.get(`${process.name}/${uid}`) ?? 0;
    const failures = outcomes.filter((outcome) => outcome === "failed").length + refused;
    this.demand(status.attempts <= before.attempts + failures, "I7", name, `attempts rose from ${before.attempts} to ${status.attempts}`);
    const clockWasRight = this.schedule.time - process.jumpedAt > 15_000;
    if (status.attempts <= before.attempts || !clockWasRight) return;
    // Of several passes with that number, one that was refused among them, any may be the one.
    const passes = batch.flatMap(({ pass, ...report }) => (report.uid === uid && pass?.attempt === status.attempts ? [pass] : []));
    this.judgeDelay(status, name, passes);
  }

  /** Who may read a report may read nothing of other namespaces. */
  private judgeTenants({ metadata }: Resource, status: Status): void {
    const { uid, name, namespace } = metadata;
    if (status.state === "Converged" && this.waited.delete(uid)) this.reach("one that waited for the claim of another tenant followed");
    const contest = this.tables.contests().find((each) => each.uid === uid);
    if (status.reason === "Contested" && contest && contest.holder.namespace !== namespace) this.waited.add(uid);
    const told = JSON.stringify([status, this.tables.events.get(uid)]);
    for (const { resource } of this.tables.rows.values()) {
      if (resource.metadata.namespace === namespace) continue;
      this.demand(!told.includes(resource.metadata.name), "I12", name, `its report names ${resource.metadata.name} of another namespace`);
    }
  }

  private noteFailures(process: Process, uid: string, before: Status | undefined, status: Status): void {
    const failing = before !== undefined && before.attempts > 0;
    if (failing && status.observedGeneration > before.observedGeneration) this.reach("a newer intent overtook a failing one");
    if (failing && status.attempts > before.attempts && this.dead.has(this.failedBy.get(uid) ?? ""))
      this.reach("a backoff went on after its worker had died");
    if (status.attempts > 0) this.failedBy.set(uid, process.name);
  }

  private judgeDelay(status: Status, name: string, passes: NonNullable<Report["pass"]>[]): void {
    if (passes.length === 0 || !status.nextAttempt || !isReason(status.reason)) return;
    // Sent away right after it failed: the next attempt is the one that finds out whether the target answers, by the target's own backoff.
    if (status.nextAttempt.cause === "TargetDown") return;
    const at = Date.parse(status.nextAttempt.at);
    const { baseMs, capMs } = BACKOFF[REASONS[status.reason].retry];
    const full = Math.min(capMs, baseMs * 2 ** Math.min(status.attempts - 1, 20));
    // A Retry-After, or the pace of a healthy object for what waiting alone does not cure.
    const longest = status.reason === "Contested" ? capMs : Math.max(full, 7_000, 1.1 * RESYNC_MS);
    // Durations are measured by a clock that may be two percent off.
    const delays = passes.map(({ startedAt, durationMs }) => ({ delay: at - (startedAt + durationMs), tolerance: 2 + durationMs * 0.05 }));
    const right = delays.some(({ delay, tolerance }) => delay >= full / 2 - tolerance && delay <= longest + tolerance);
    const shown = delays.map(({ delay }) => Math.round(delay)).join(" or ");
    this.demand(right, "I7", name, `attempt ${status.attempts} (${status.reason}) is retried after ${shown} ms, not ${full / 2}..${full}`);
  }

  // ---- after each step ----------------------------------------------------------------------------------------------

  /** Where a target has conditions, one object has one thing at every instant. */
  judgeTargets(): void {
    for (const target of this.targets.values()) {
      if (!target.strict || this.judgedTargets.get(target) === target.changes) continue;
      this.judgedTargets.set(target, target.changes);
      const marks = new Set<string>();
      for (const { mark, key } of target.things.values()) {
        if (!mark) continue;
        this.demand(!marks.has(mark.uid), "I2", key, "two things carry the mark of one object");
        marks.add(mark.uid);
      }
    }
  }

  /** What left the store since the last call. */
  judgeChanges(): void {
    const { changes } = this.tables;
    let next = changes.length;
    while (next > 0 && Number(changes[next - 1]?.resourceVersion) > this.judged) next -= 1;
    this.judged = this.tables.current;
    for (const change of changes.slice(next)) {
      if (change.type !== "DELETED") continue;
      const { uid, name } = change.resource.metadata;
      this.left.add(name);
      const things = this.targets.get(change.resource.kind)?.byMark(uid) ?? [];
      const onPurpose = this.tables.audit.some((row) => row.uid === uid && row.verb === "orphan");
      this.demand(things.length === 0 || onPurpose, "I8", name, "its row left the store while a thing of it was outside");
      this.reach(onPurpose ? "an object was left outside on purpose" : "an object was deleted and drained");
    }
  }

  private count(counts: Map<string, number>, key: string): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  sameIntent(a: Resource, b: Resource): boolean {
    return deepEqual(a.spec, b.spec);
  }
}

/** Not there and not on the way: a reason of the catalogue, and when it is tried next or what ends the wait. */
function explained(status: Status): boolean {
  if (status.message === "" || status.reason === "") return false;
  switch (status.state) {
    case "Failed":
    case "BackingOff":
    case "Blocked":
      return (
        isReason(status.reason) && status.nextAttempt !== undefined && (status.attempts > 0 || status.nextAttempt.cause === "TargetDown")
      );
    case "Drifted":
    case "Paused":
      return status.wakeOn !== undefined || status.nextAttempt !== undefined;
    default:
      return true;
  }
}
