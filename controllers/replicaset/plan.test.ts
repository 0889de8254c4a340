import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deletionOf, edited, newResource } from "@/lib/conformance/kind";
import { driftOf, type Resource } from "@/lib/resource";
import { kind } from ".";
import { inputs, observations, specs } from "./arbitrary.fixture";
import type { Observed, SeenInstance } from "./observe";
import { planReplicaSet, type ReplicaSetAction } from "./plan";
import { check, type ReplicaSetSpec } from "./schema";
import { isReady } from "./slots";
import { templateHash } from "./template";

const NOW = 1_800_000_000_000;
const spec = (replicas: number, env: Record<string, string> = {}, extra: object = {}) =>
  newResource(kind, "web", { replicas, template: { command: ["svc"], env }, ...extra });
const PROBE = { probe: { http: { port: 9000 } } };

function instance(resource: Resource<ReplicaSetSpec>, ordinal: number, change: Partial<SeenInstance> = {}): SeenInstance {
  const { command, env = {} } = resource.spec.template;
  return {
    pid: 100 + ordinal,
    startTicks: 1000 + ordinal,
    bootId: "boot",
    ordinal,
    template: templateHash(resource.spec),
    startedAt: NOW - 60_000,
    port: null,
    leads: true,
    launch: { command, env },
    probe: null,
    ...change,
  };
}

const seen = (instances: SeenInstance[], change: Partial<Observed> = {}): Observed => ({
  instances,
  exits: [],
  folders: instances.map(({ ordinal }) => ordinal),
  refusal: null,
  ...change,
});
const plan = (resource: Resource<ReplicaSetSpec>, observed: Observed, now = NOW) =>
  planReplicaSet({ resource, observed, now, deleting: resource.metadata.deletionTimestamp !== undefined });
const steps = (actions: ReplicaSetAction[]) => actions.map(({ type, target }) => `${type} ${target}`);
const failing = (seconds: number) => ({ probe: { fault: "HTTP 503", failingSince: NOW - seconds * 1000 } });

describe("scaling", () => {
  test("missing slots are filled in order, and the ones that run stay", () => {
    const resource = spec(3);
    expect(steps(plan(resource, seen([instance(resource, 1)])).actions)).toEqual(["Start process web-0", "Start process web-2"]);
  });

  test("too many are ended from the highest down, before anything is started", () => {
    const resource = spec(2);
    const observed = seen([1, 2, 3].map((ordinal) => instance(resource, ordinal)));
    expect(steps(plan(resource, observed).actions)).toEqual([
      "Stop process web-3 (pid 103)",
      "Stop process web-2 (pid 102)",
      "Start process web-0",
    ]);
  });

  test("of duplicates the current, ready, oldest one stays", () => {
    const resource = spec(1);
    const observed = seen([
      instance(resource, 0, { pid: 7, template: "older", startedAt: NOW - 90_000 }),
      instance(resource, 0, { pid: 8, startedAt: NOW - 10 }),
      instance(resource, 0, { pid: 9, startedAt: NOW - 50_000 }),
      instance(resource, 0, { pid: 10, startedAt: NOW - 40_000 }),
    ]);
    expect(plan(resource, observed).actions.map((action) => action.target.match(/\d+(?=\))/)?.[0])).toEqual(["7", "8", "10"]);
  });

  test("a leftover does not count as the slot's instance: it is ended and the slot filled", () => {
    const resource = spec(1);
    const result = plan(resource, seen([instance(resource, 0, { leads: false })]));
    expect(steps(result.actions)).toEqual(["Stop process web-0 (pid 100)", "Start process web-0"]);
    expect(driftOf(result.fields).map(({ path }) => path)).toEqual(["spec.replicas", "instances.0.processes", "instances.0.leftovers"]);
  });

  test("a folder left by a crash between the end of a process and its tidying is removed", () => {
    const resource = spec(0);
    const result = plan(resource, seen([], { folders: [4] }));
    expect(steps(result.actions)).toEqual(["Clear folder of process web-4"]);
    expect(driftOf(result.fields).map(({ path }) => path)).toEqual(["instances.4.folder"]);
  });

  test("slots that have not crashed are started first, and one that crashed is watched", () => {
    const resource = spec(2);
    const exit = { ordinal: 0, template: templateHash(resource.spec), code: 1, signal: null, at: NOW, crashes: 2, output: "Error: no" };
    const result = plan(resource, seen([], { exits: [exit] }));
    expect(result.actions.map(({ input }) => input)).toMatchObject([
      { ordinal: 1, settle: false },
      { ordinal: 0, settle: true },
    ]);
    expect(result.conditions[0]).toMatchObject({ type: "Available", status: "False", reason: "Missing" });
    expect(result.conditions[0]?.message).toContain("web-0 exited with code 1: Error: no");
    const edit = edited(resource, { template: { ...resource.spec.template, env: { FIXED: "1" } } });
    expect(plan(edit, seen([], { exits: [exit] })).actions[0]?.input).toMatchObject({ ordinal: 0, settle: false });
  });
});

describe("a changed template", () => {
  const before = spec(3, { VERSION: "1" });
  const after = edited(before, { template: { ...before.spec.template, env: { VERSION: "2" } } });

  test("is shown by field and replaces from the highest down", () => {
    const result = plan(after, seen([0, 1, 2].map((ordinal) => instance(before, ordinal))));
    expect(steps(result.actions).slice(0, 3)).toEqual([
      "Stop process web-2 (pid 102)",
      "Start process web-2",
      "Stop process web-1 (pid 101)",
    ]);
    expect(driftOf(result.fields).filter(({ path }) => path.startsWith("instances.2"))).toEqual([
      { path: "instances.2.template", desired: templateHash(after.spec), actual: templateHash(before.spec) },
      { path: "instances.2.env.VERSION", desired: "2", actual: "1" },
    ]);
  });

  test("waits for the newest one before the next is touched", () => {
    const observed = seen([instance(before, 0), instance(before, 1), instance(after, 2, { startedAt: NOW - 300 })]);
    const result = plan(after, observed);
    expect(result.actions).toEqual([]);
    expect(result.waiting).toMatchObject({ reason: "Starting", recheckAfterMs: 700 });
    expect(plan(after, observed, NOW + 700).actions[0]?.target).toBe("process web-1 (pid 101)");
  });

  test("goes no further while a new one fails its probe, and says so", () => {
    const [one, two] = [spec(2, { VERSION: "1" }, PROBE), spec(2, { VERSION: "2" }, PROBE)];
    const result = plan(two, seen([instance(one, 0), instance(two, 1, failing(600))]));
    expect(result.actions).toEqual([]);
    expect(result.waiting).toMatchObject({ reason: "ProbeFailing", recheckAfterMs: 15_000 });
    expect(result.conditions[0]).toMatchObject({ status: "False", reason: "ProbeFailing" });
  });

  test("replaces broken old ones first, one at a time", () => {
    const [one, two] = [spec(3, { VERSION: "1" }, PROBE), spec(3, { VERSION: "2" }, PROBE)];
    const observed = seen([instance(one, 0, failing(60)), instance(one, 1), instance(one, 2, failing(60))]);
    expect(steps(plan(two, observed).actions).slice(0, 3)).toEqual([
      "Stop process web-2 (pid 102)",
      "Start process web-2",
      "Stop process web-0 (pid 100)",
    ]);
  });

  test("grace, probe path and replicas replace nothing", () => {
    const [one, two] = [spec(1, {}, PROBE), spec(1, {}, { probe: { http: { port: 9000, path: "/other" }, timeoutSeconds: 5 } })];
    two.spec.template.stopGraceSeconds = 99;
    expect(plan(two, seen([instance(one, 0)])).actions).toEqual([]);
    expect(templateHash(one.spec)).not.toBe(templateHash(spec(1, {}, { probe: { http: { port: 9001 } } }).spec));
  });

  test("ends nothing when the new command is not allowed", () => {
    const refusal = { reason: "InvalidSpec" as const, message: "not allowed" };
    const blocked = plan(
      after,
      seen(
        [0, 1, 2].map((ordinal) => instance(before, ordinal)),
        { refusal },
      ),
    );
    expect(blocked.blocked).toMatchObject({ reason: "InvalidSpec", message: "not allowed" });
    const surplus = plan(
      after,
      seen(
        [0, 1, 2, 3].map((ordinal) => instance(before, ordinal)),
        { refusal },
      ),
    );
    expect(surplus.blocked).toBeUndefined();
    expect(surplus.actions[0]?.target).toBe("process web-3 (pid 103)");
  });
});

describe("a failing probe", () => {
  test("replaces nothing unless asked to, then one at a time and after that long", () => {
    const shown = spec(2, {}, PROBE);
    expect(plan(shown, seen([instance(shown, 0, failing(9_999)), instance(shown, 1)])).actions).toEqual([]);
    const replaced = spec(2, {}, { probe: { http: { port: 9000 }, replaceAfterSeconds: 30 } });
    const at = (a: number, b: number) => plan(replaced, seen([instance(replaced, 0, failing(a)), instance(replaced, 1, failing(b))]));
    expect(steps(at(40, 40).actions)).toEqual(["Stop process web-0 (pid 100)", "Start process web-0"]);
    expect(driftOf(at(40, 40).fields).map(({ path }) => path)).toEqual(["instances.0.probe", "instances.1.probe"]);
    expect(at(40, 29)).toMatchObject({ actions: [], waiting: { reason: "ProbeFailing" } });
  });
});

describe("deletion", () => {
  test("ends every instance, one action each, and gives their folders up", () => {
    const resource = deletionOf(spec(2));
    const result = plan(
      resource,
      seen(
        [0, 1, 2].map((ordinal) => instance(resource, ordinal)),
        { folders: [0, 1, 2, 5] },
      ),
    );
    expect(steps(result.actions)).toEqual([
      "Clear folder of process web-5",
      "Stop process web-2 (pid 102)",
      "Stop process web-1 (pid 101)",
      "Stop process web-0 (pid 100)",
    ]);
    expect(result.actions.slice(1).every(({ input }) => "forget" in input && input.forget)).toBe(true);
    expect(plan(resource, seen([], { refusal: { reason: "InvalidSpec", message: "not allowed" } }))).toMatchObject({ actions: [] });
  });
});

/** The world as a pure model: what an action does, and one second of waiting. */
class Model {
  now = NOW;
  #pid = 10_000_000;
  constructor(
    readonly resource: Resource<ReplicaSetSpec>,
    public observed: Observed,
  ) {}

  plan() {
    return plan(this.resource, this.observed, this.now);
  }

  apply(action: ReplicaSetAction): void {
    const { instances, folders, exits } = this.observed;
    const { ordinal } = action.input;
    if (action.type === "Start") {
      const pid = ++this.#pid;
      const added = instance(this.resource, ordinal, { pid, startedAt: this.now });
      this.observed = { ...this.observed, instances: [...instances, added], folders: [...new Set([...folders, ordinal])] };
      return;
    }
    const { pid } = action.type === "Stop" ? action.input : { pid: -1 };
    const forget = action.type === "Clear" || action.input.forget;
    this.observed = {
      ...this.observed,
      instances: instances.filter((candidate) => candidate.pid !== pid),
      folders: forget ? folders.filter((folder) => folder !== ordinal) : folders,
      exits: exits.filter((exit) => exit.ordinal !== ordinal),
    };
  }

  /** Time passes and every probe of a present instance passes in the end. */
  wait(ms: number): void {
    this.now += ms;
    const healed = this.observed.instances.map((candidate) => ({ ...candidate, probe: null }));
    this.observed = { ...this.observed, instances: healed };
  }

  ready(): number {
    return new Set(this.observed.instances.filter((one) => one.leads && isReady(one, this.now)).map(({ ordinal }) => ordinal)).size;
  }
}

describe("from any facts", () => {
  test("it comes to rest in a bounded number of steps with exactly the wanted slots, and never repeats a step on the way", () => {
    fc.assert(
      fc.property(inputs, ({ resource, observed, deleting }) => {
        const model = new Model(resource, { ...observed, refusal: null });
        const bound = observed.instances.length * 3 + observed.folders.length + resource.spec.replicas * 4 + 2;
        for (let step = 0; ; step++) {
          expect(step).toBeLessThanOrEqual(bound * 2);
          const { actions, waiting, fields } = model.plan();
          const [action] = actions;
          if (action) model.apply(action);
          else if (waiting) model.wait(waiting.recheckAfterMs);
          else {
            expect(driftOf(fields)).toEqual([]);
            break;
          }
        }
        const wanted = deleting ? [] : [...Array(resource.spec.replicas).keys()];
        expect(model.observed.instances.map(({ ordinal }) => ordinal).sort((a, b) => a - b)).toEqual(wanted);
        expect(model.observed.folders.every((folder) => wanted.includes(folder))).toBe(true);
      }),
    );
  });

  test("what a dry-run lists is what is done, as long as nothing has to be waited for", () => {
    fc.assert(
      fc.property(inputs, ({ resource, observed }) => {
        const model = new Model(resource, { ...observed, refusal: null, exits: [] });
        const listed = model.plan().actions.map(({ message }) => message);
        const done: string[] = [];
        for (let { actions } = model.plan(); actions[0] && done.length <= listed.length; { actions } = model.plan()) {
          done.push(actions[0].message);
          model.apply(actions[0]);
        }
        expect(listed.slice(0, done.length)).toEqual(done);
      }),
    );
  });

  test("a roll-out from all ready never leaves fewer than replicas - 1 ready", () => {
    fc.assert(
      fc.property(specs, fc.integer({ min: 1, max: 6 }), (generated, replicas) => {
        const before = newResource(kind, "web", { ...generated, replicas });
        const after = edited(before, { template: { ...before.spec.template, command: ["svc", "new"] } });
        const model = new Model(after, seen([...Array(replicas).keys()].map((ordinal) => instance(before, ordinal))));
        for (let { actions, waiting } = model.plan(); actions[0] || waiting; { actions, waiting } = model.plan()) {
          if (actions[0]) model.apply(actions[0]);
          else model.wait(waiting?.recheckAfterMs ?? 0);
          expect(model.ready()).toBeGreaterThanOrEqual(replicas - 1);
        }
        expect(model.observed.instances.every(({ template }) => template === templateHash(after.spec))).toBe(true);
      }),
    );
  });

  test("the same facts in another order give the same plan", () => {
    const shuffled = specs.chain((generated) =>
      observations(generated).chain((observed) =>
        fc
          .shuffledSubarray(observed.instances, { minLength: observed.instances.length })
          .map((instances) => ({ generated, observed, instances })),
      ),
    );
    fc.assert(
      fc.property(shuffled, ({ generated, observed, instances }) => {
        const resource = newResource(kind, "web", generated);
        expect(plan(resource, { ...observed, instances }).actions).toEqual(plan(resource, observed).actions);
      }),
    );
  });
});

describe("what is refused at the door", () => {
  const fields = (value: unknown) => check(kind.schema.parse(value)).map(({ field }) => field);
  const template = { command: ["svc"] };

  test("rules beyond the schema name their field", () => {
    expect(fields({ template })).toEqual([]);
    expect(fields({ template, probe: {} })).toEqual(["probe"]);
    expect(fields({ template, probe: { http: { port: 1 }, tcp: { port: 1 } } })).toEqual(["probe"]);
    expect(fields({ template, replicas: 200, probe: { tcp: { port: 65400 } } })).toEqual(["probe.tcp.port"]);
    expect(fields({ template: { ...template, env: { PORT: "1" } }, probe: { tcp: { port: 80 } } })).toEqual(["template.env.PORT"]);
    expect(fields({ template: { ...template, env: { LD_PRELOAD: "x", OK: "y" } } })).toEqual(["template.env.LD_PRELOAD"]);
  });

  test.each([
    { replicas: 201, template },
    { replicas: 1.5, template },
    { template: { command: [] } },
    { template: { ...template, stopGraceSeconds: 301 } },
    { template, probe: { http: { port: 0 } } },
    { template, extra: 1 },
  ])("%j is not a spec", (value) => {
    expect(kind.schema.safeParse(value).success).toBe(false);
  });

  test("the example is a valid spec", () => {
    expect(check(kind.schema.parse(kind.example))).toEqual([]);
  });
});
