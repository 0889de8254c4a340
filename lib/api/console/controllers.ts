/** The Controllers page, and the pause of a whole kind. */
import { z } from "zod";
import { toIso } from "@/lib/clock";
import { DEFAULT_RESYNC_MS, hostOf } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { admitPause, causesOf, invalidObject } from "@/lib/policies/admission";
import type { Pause } from "@/lib/resource";
import type { KindStats, TargetTrouble } from "@/lib/store";
import type { ControllerFacts } from "@/lib/store/console";
import { readObject } from "../body";
import type { AnyKind, Call } from "../call";
import type { ControllerRow, ControllersAnswer } from "../contract";
import { json } from "../respond";

const DEFAULT_CONCURRENCY = 8;

/** GET /api/console/controllers */
export async function controllers(call: Call): Promise<Response> {
  return json(call, await readControllers(call));
}

export async function readControllers(call: Call): Promise<ControllersAnswer> {
  const { console: store, engine } = call.dependencies;
  const facts = await store.controllers();
  return {
    serverTime: toIso(call.now),
    controllers: engine.kinds.map((kind) => controllerRow(kind, facts)),
    workers: facts.workers.map(({ stats: _stats, startedAt, ...worker }) => ({
      ...worker,
      startedAt: toIso(startedAt),
      shards: facts.shardsOf[worker.id] ?? 0,
      holdsHost: facts.leases.some((lease) => lease.holder === worker.id && lease.alive && hostOf(lease.slice) === worker.host),
    })),
    shards: facts.shards,
    unowned: unownedOf(facts),
    lagging: facts.lagging.flatMap((slice) => hostOf(slice) ?? []),
  };
}

/** Shards without a worker are one entry together; each host without one is its own. */
function unownedOf({ unowned }: ControllerFacts): ControllersAnswer["unowned"] {
  const hosts = unowned.flatMap(({ slice, resources }) => {
    const host = hostOf(slice);
    return host === undefined ? [] : [{ host, resources }];
  });
  const resources = unowned.reduce((sum, entry) => sum + (hostOf(entry.slice) === undefined ? entry.resources : 0), 0);
  return [...(resources > 0 ? [{ resources }] : []), ...hosts];
}

function controllerRow(kind: AnyKind, facts: ControllerFacts): ControllerRow {
  const stats = facts.workers
    .filter((worker) => worker.alive)
    .flatMap(({ stats }) => (Object.hasOwn(stats, kind.name) ? [stats[kind.name]] : []));
  const sum = (of: (entry: KindStats) => number) => stats.reduce((total, entry) => total + (entry ? of(entry) : 0), 0);
  const paused = facts.kindPauses[kind.name];
  return {
    kind: kind.name,
    plural: kind.plural,
    description: kind.description,
    resources: facts.resources[kind.name] ?? 0,
    ...(paused && inForce(paused, facts.now) ? { paused } : {}),
    queueDepth: sum((entry) => entry.queueDepth),
    inFlight: sum((entry) => entry.inFlight),
    concurrency: sum((entry) => entry.concurrency) || (kind.concurrency ?? DEFAULT_CONCURRENCY),
    backlogAgeMs: Math.max(0, ...stats.map((entry) => entry?.backlogAgeMs ?? 0)),
    retrying: sum((entry) => entry.retrying),
    resyncMs: kind.resyncMs ?? DEFAULT_RESYNC_MS,
    lastHour: facts.lastHour[kind.name] ?? { passes: 0, failed: 0, actions: 0 },
    looks: sum((entry) => entry.looks),
    oldestLook: facts.oldestLooks[kind.name] ?? null,
    ...silentTargets(stats.flatMap((entry) => entry?.targets ?? [])),
  };
}

/** Each worker finds out for itself: one line per target, since the first noticed, until the first tries again. */
function silentTargets(troubles: TargetTrouble[]): Pick<ControllerRow, "targets"> {
  const merged = new Map<string, TargetTrouble>();
  for (const trouble of troubles) {
    const known = merged.get(trouble.target);
    const since = known && known.since < trouble.since ? known.since : trouble.since;
    const nextAttemptAt = known && known.nextAttemptAt < trouble.nextAttemptAt ? known.nextAttemptAt : trouble.nextAttemptAt;
    merged.set(trouble.target, { ...trouble, since, nextAttemptAt, waiting: trouble.waiting + (known?.waiting ?? 0) });
  }
  return merged.size > 0 ? { targets: [...merged.values()] } : {};
}

const inForce = (pause: Pause, now: number) => pause.until === undefined || Date.parse(pause.until) > now;

const pauseRequest = z.strictObject({ reason: z.string().max(500), until: z.string().max(64).optional() });

/** PUT /api/console/controllers/{kind}/pause */
export async function pauseKind(call: Call): Promise<Response> {
  const raw = await readObject(call);
  const parsed = pauseRequest.safeParse(raw);
  if (!parsed.success) throw invalidObject("Pause", call.kind.name, causesOf(parsed.error.issues, pauseRequest, raw, ""));
  const { pause, causes } = admitPause(parsed.data, undefined, { by: call.principal.name, now: call.now }, "");
  if (causes.length > 0)
    throw invalidObject(
      "Pause",
      call.kind.name,
      causes.map((cause) => ({ ...cause, field: cause.field.replace(/^\./, "") })),
    );
  return setPause(call, pause);
}

/** DELETE /api/console/controllers/{kind}/pause */
export async function resumeKind(call: Call): Promise<Response> {
  return setPause(call, undefined);
}

async function setPause(call: Call, pause: Pause | undefined): Promise<Response> {
  const { name } = call.kind;
  const key = { kind: name, namespace: "", name: "" };
  const entry = call.audit(pause ? "pause kind" : "resume kind", key, pause ? { reason: pause.reason } : {});
  await call.dependencies.console.setKindPause(name, pause, call.actor, entry);
  return json(call, { kind: name, ...(pause ? { paused: pause } : {}) });
}

/** A kind of the URL, by name or plural. */
export function kindOfWord(kinds: readonly AnyKind[], word: string): AnyKind {
  const kind = kinds.find((candidate) => candidate.name === word || candidate.plural === word);
  if (!kind) throw new SetpointError("NotFound", `there is no kind ${JSON.stringify(word.slice(0, 80))}`);
  return kind;
}
