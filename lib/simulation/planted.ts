import type { Action, AnyController } from "@/lib/controller";
import { pauseInForce, type Resource } from "@/lib/resource";
import type { EngineStore, Fence, PermitVerdict, Report } from "@/lib/store";
import { isExpired } from "@/lib/store/feed";
import type { Plant, Universe } from "./universe";

/**
 * Bugs that were made elsewhere or could be made here, put in from outside by wrapping what a worker is given. Each must be found. The
 * product's code has no switch for any of them.
 */
export const PLANTED: Plant[] = [
  {
    name: "reports that are sent again are taken for new ones",
    invariants: ["I2"],
    engineStore: (store) => ({ ...store, report: (reports) => store.report(reports) }),
  },
  {
    name: "the fence is not checked when a report is written",
    invariants: ["I3"],
    engineStore: (store, universe) => ({
      ...store,
      report: (reports, batch) =>
        store.report(
          reports.map((report) => ({ ...report, fence: currentFence(universe, report.uid, report.fence) })),
          batch,
        ),
    }),
  },
  {
    name: "a holder believes in its lease for longer than it has it, and the permit does not ask",
    invariants: ["I3"],
    engineStore: (store, universe) => ({
      ...store,
      renew: (beat) => store.renew({ ...beat, ttlMs: beat.ttlMs * 0.4 }),
      permit: (uid, generation, fence, action, deleting) =>
        universe.store.engine.permit(uid, generation, currentFence(universe, uid, fence), action, deleting),
    }),
  },
  {
    name: "outside writes begin without a permit",
    invariants: ["I11", "I3", "I9"],
    engineStore: (store) => ({ ...store, permit: async () => ({ granted: true, id: "none" }) }),
  },
  {
    name: "a pause is not seen by the permit, nor by the worker",
    invariants: ["I9"],
    engineStore: (store, universe) => ({ ...store, ...withoutPauses(store, universe) }),
  },
  {
    name: "a worker's identity is used by two engines",
    invariants: ["I3", "I4", "I7", "I16", "I11", "I2"],
    twin: true,
  },
  {
    name: "that another holds what it claims is not seen by the permit, nor by the worker",
    invariants: ["I2"],
    engineStore: (store, universe) => ({
      ...store,
      contests: async () => [],
      permit: async (...asked) => {
        const verdict = await store.permit(...asked);
        return !verdict.granted && verdict.reason === "Contested" ? grantAllTheSame(universe, ...asked) : verdict;
      },
    }),
  },
  {
    name: "the holder of a claim is named to another tenant",
    invariants: ["I12"],
    engineStore: (store, { store: { tables } }) => ({
      ...store,
      contests: async () =>
        (await store.contests()).map((contest) => {
          const namespace = tables.rows.get(contest.uid)?.resource.metadata.namespace ?? "";
          return { ...contest, holder: { ...contest.holder, namespace } };
        }),
    }),
  },
  {
    name: "what is bound to a machine is taken by a worker of another",
    invariants: ["I3"],
    engineStore: (store) => ({
      ...store,
      renew: (beat) => store.renew({ ...beat, host: beat.host === "host-a" ? "host-b" : "host-a" }),
    }),
  },
  {
    name: "a slice counts as held after its worker has died",
    invariants: ["I14"],
    leases: (leases) => leases.map((lease) => ({ ...lease, alive: lease.holder !== undefined })),
  },
  {
    name: "things are created without looking, under a new name each time",
    invariants: ["I2"],
    controller: blind,
  },
  {
    name: "the finalizer is dropped before the outside thing is gone",
    invariants: ["I8"],
    controller: (controller) => ({
      ...controller,
      plan: (input) => (input.deleting ? { ...controller.plan(input), actions: [] } : controller.plan(input)),
    }),
  },
  {
    name: "the count of failures is forgotten by a restart",
    invariants: ["I7"],
    engineStore: (store) => ({
      ...store,
      load: async (slices) => {
        const { resources, revision } = await store.load(slices);
        return { revision, resources: resources.map(({ resource, slice }) => ({ resource: withoutAttempts(resource), slice })) };
      },
    }),
  },
  {
    name: "observedGeneration is the newest instead of the one worked on",
    invariants: ["I1", "I4"],
    engineStore: (store, universe) => ({
      ...store,
      report: (reports, batch) =>
        store.report(
          reports.map((report) => ({ ...asNewest(report, universe) })),
          batch,
        ),
    }),
  },
  {
    name: "nothing is looked at again once it has converged",
    invariants: ["I1", "I14", "I6"],
    controller: (controller) => ({ ...controller, kind: { ...controller.kind, resyncMs: 3_600_000 } }),
  },
  {
    name: "the feed skips a change now and then, and the one after it is seen",
    invariants: ["I1", "I14", "I9", "I6"],
    engineStore: (store) => ({
      ...store,
      feed: async (revision, limit) => {
        const { changes, ...upTo } = await store.feed(revision, limit);
        return { ...upTo, changes: changes.filter(({ resourceVersion }) => changes.length === 1 || Number(resourceVersion) % 3 !== 0) };
      },
    }),
  },
  {
    name: "a place in the feed that is no longer kept is read on from",
    invariants: ["I1", "I14", "I9", "I6"],
    engineStore: (store, universe) => ({
      ...store,
      feed: (revision, limit) =>
        store.feed(revision, limit).catch(async (error: unknown) => {
          if (!isExpired(error)) throw error;
          return store.feed(String(Number(await universe.store.resources.oldestRevision()) - 1), limit);
        }),
    }),
  },
  {
    name: "marks of ownership are not looked at",
    invariants: ["I8"],
    controller: (controller) => ({
      ...controller,
      observe: async (resource, context) => owned(await controller.observe(resource, context)),
    }),
  },
  {
    name: "a look is kept and used again",
    invariants: ["I16", "I1"],
    controller: forgetful,
  },
  {
    name: "a write is acknowledged before it is stored",
    invariants: ["I1"],
    operatorStore: (store) => ({
      ...store,
      mutate: async (key, by, decide, options) => {
        const answer = await store.mutate(key, by, decide, { dryRun: true });
        const lost = Number(answer.resource.metadata.generation) % 4 === 3;
        return lost ? answer : store.mutate(key, by, decide, options);
      },
    }),
  },
  {
    name: "a target's error quotes the secret",
    invariants: ["I13"],
    controller: (controller, { canary }) => ({
      ...controller,
      plan: (input) => {
        const plan = controller.plan(input);
        return { ...plan, actions: plan.actions.map((action: Action) => ({ ...action, message: `${action.message} with ${canary}` })) };
      },
    }),
  },
  {
    name: "the time of the last look is part of what is reported",
    invariants: ["I6"],
    controller: (controller) => ({
      ...controller,
      plan: (input) => ({ ...controller.plan(input), observed: { at: input.now } }),
    }),
  },
  {
    name: "a failure is reported without its next attempt",
    invariants: ["I5"],
    engineStore: (store) => ({
      ...store,
      report: (reports, batch) => store.report(reports.map(unexplained), batch),
    }),
  },
];

/** The fence that the object's slice has now, whoever asks. */
function currentFence({ store }: Universe, uid: string, fence: Fence): Fence {
  const slice = store.tables.rows.get(uid)?.slice ?? fence.slice;
  const lease = store.tables.leases.get(slice);
  return { slice, holder: lease?.holder ?? fence.holder, epoch: String(lease?.epoch ?? fence.epoch) };
}

function unpaused(resource: Resource): Resource {
  return { ...resource, control: { ...resource.control, paused: undefined } };
}

function withoutPauses(store: EngineStore, universe: Universe): Pick<EngineStore, "load" | "feed" | "permit" | "kindPauses"> {
  const { tables } = universe.store;
  return {
    feed: async (revision, limit) => {
      const { changes, ...upTo } = await store.feed(revision, limit);
      return { ...upTo, changes: changes.map((change) => ({ ...change, resource: unpaused(change.resource) })) };
    },
    load: async (slices) => {
      const { resources, revision } = await store.load(slices);
      return { revision, resources: resources.map(({ resource, slice }) => ({ resource: unpaused(resource), slice })) };
    },
    kindPauses: async () => ({}),
    permit: async (uid, generation, fence, action, deleting) => {
      const verdict = await store.permit(uid, generation, fence, action, deleting);
      const resource = tables.rows.get(uid)?.resource;
      if (verdict.granted || verdict.reason !== "Paused" || !resource || !pauseInForce(resource.control, tables.now)) return verdict;
      return grantAllTheSame(universe, uid, generation, fence, action, deleting);
    },
  };
}

/** A permit with its row, for what the store has refused. */
function grantAllTheSame({ store: { tables } }: Universe, ...asked: Parameters<EngineStore["permit"]>): PermitVerdict {
  const [uid, generation, , action, deleting] = asked;
  const resource = tables.rows.get(uid)?.resource;
  if (!resource) return { granted: false, reason: "Gone" };
  const { kind, metadata } = resource;
  const entry = { actor: `controller/${kind}`, verb: "act", kind, namespace: metadata.namespace, name: metadata.name };
  return { granted: true, id: tables.addAudit({ ...entry, uid, generation, outcome: "pending", detail: { ...action, deleting } }) };
}

function withoutAttempts(resource: Resource): Resource {
  return resource.status ? { ...resource, status: { ...resource.status, attempts: 0, nextAttempt: undefined } } : resource;
}

function asNewest(report: Report, { store }: Universe): Report {
  const generation = store.tables.rows.get(report.uid)?.resource.metadata.generation ?? report.generation;
  return { ...report, generation, ...(report.status ? { status: { ...report.status, observedGeneration: generation } } : {}) };
}

function unexplained(report: Report): Report {
  if (!report.status || report.status.state === "Converged") return report;
  return { ...report, status: { ...report.status, nextAttempt: undefined } };
}

/** What is there is never looked at, and each thing gets a name of its own. */
function blind(controller: AnyController): AnyController {
  let made = 0;
  return {
    ...controller,
    observe: async (resource, context) => ({ ...(await controller.observe(resource, context)), things: [] }),
    apply(action, resource, context) {
      made += 1;
      const name = `${resource.metadata.name}-${made}`;
      return controller.apply(action, { ...resource, metadata: { ...resource.metadata, name } }, context);
    },
  };
}

function owned(observed: unknown): unknown {
  if (typeof observed !== "object" || observed === null || !("things" in observed) || !Array.isArray(observed.things)) return observed;
  return { ...observed, things: observed.things.map((thing: object) => ({ ...thing, ours: true })) };
}

/** One look is good for twenty seconds. */
function forgetful(controller: AnyController, { schedule }: Universe): AnyController {
  const kept = new Map<string, { at: number; generation: number; observed: unknown }>();
  return {
    ...controller,
    observe: async (resource, context) => {
      const { uid, generation } = resource.metadata;
      const known = kept.get(uid);
      if (known && known.generation === generation && schedule.time - known.at < 20_000) return known.observed;
      const observed: unknown = await controller.observe(resource, context);
      kept.set(uid, { at: schedule.time, generation, observed });
      return observed;
    },
  };
}
