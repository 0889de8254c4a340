/** The promises every kind keeps, each a sentence and a function that throws when it is broken. */
import fc from "fast-check";
import type { Action, Plan } from "@/lib/controller";
import type { Reason } from "@/lib/errors";
import { deepEqual, type Resource } from "@/lib/resource";
import type { Drive } from "./drive";
import type { OutsideThing, Running } from "./fixture";
import { checkPlan, deepFreeze, deletionOf, demand, reportOf } from "./loop";

// biome-ignore lint/suspicious/noExplicitAny: the guarantees hold for every kind; specs and observations pass through unread.
export type AnyDrive = Drive<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above.
type AnyRunning = Running<any, any>;
export type Guarantee = (drive: AnyDrive) => Promise<void>;

/** Runs `check` for every named entry, and says the name of the one that failed. */
async function each<T>(what: string, entries: Record<string, T>, check: (value: T) => Promise<void>): Promise<void> {
  for (const [name, value] of Object.entries(entries)) {
    try {
      await check(value);
    } catch (thrown) {
      throw new Error(`${what} "${name}": ${thrown instanceof Error ? thrown.message : String(thrown)}`, { cause: thrown });
    }
  }
}

const startsOf = (drive: AnyDrive) => ({ "nothing there": async () => undefined, ...drive.fixture.starts });

async function silentTwice(drive: AnyDrive): Promise<void> {
  const resource = drive.fixture.resource();
  const running = await drive.start();
  await drive.converge(resource, running);
  const before = await drive.evidence(resource);
  const reports = [];
  for (let pass = 0; pass < 2; pass++) {
    const plan = await drive.loop.look(running, resource);
    demand(plan.actions.length === 0 && plan.fields.every((field) => field.same), "converged, and yet drift or an action", plan);
    demand(!plan.waiting && !plan.blocked, "converged, and yet waiting or blocked", reportOf(plan));
    reports.push(reportOf(plan));
  }
  const fresh = await drive.start();
  reports.push(reportOf(await drive.loop.look(fresh, resource)));
  demand(deepEqual(reports[0], reports[1]), "two looks at the same facts gave two reports", reports);
  demand(deepEqual(reports[0], reports[2]), "a restart gave another report of the same facts", reports);
  const after = await drive.evidence(resource);
  demand(after === before, `a look at the converged wrote to the target\nbefore ${before}\nafter ${after}`);
}

async function fromAnyStart(drive: AnyDrive): Promise<void> {
  await each("start", startsOf(drive), async (start) => {
    const resource = await drive.arrange(start, drive.fixture.resource());
    await drive.converge(resource);
    demand((await drive.ours(resource)).length > 0, "converged with nothing of ours at the target");
  });
}

async function afterAnyBreak(drive: AnyDrive): Promise<void> {
  await each("break", drive.fixture.breaks, async (damage) => {
    const running = await drive.start();
    const resource = drive.fixture.resource();
    await drive.converge(resource, running);
    const before = await drive.shape(resource);
    const broken = await drive.arrange(damage, resource);
    const { actions } = await drive.converge(broken, running);
    demand(actions.length > 0, "broken, and nothing was done about it");
    const sameIntent = deepEqual(broken.spec, resource.spec);
    const after = await drive.shape(broken);
    demand(!sameIntent || deepEqual(before, after), "healed to something else", { before, after });
    await drive.stop(running);
  });
}

/** The same road twice, once with a restart after every apply: same steps, same end, nothing double. */
async function restartAnywhere(drive: AnyDrive): Promise<void> {
  const compare = async (prepare: () => Promise<Resource>) => {
    const straight = await prepare();
    const one = await drive.converge(straight);
    const interrupted = await prepare();
    const two = await drive.converge(interrupted, undefined, { restartAfterApply: true });
    const steps = [one, two].map((journey) => journey.actions.map((action) => action.type).sort());
    demand(deepEqual(steps[0], steps[1]), "a restart changed which steps were taken", steps);
    const shapes = [await drive.shape(straight), await drive.shape(interrupted)];
    demand(deepEqual(shapes[0], shapes[1]), "a restart changed the end (a duplicate, or something missing)", shapes);
  };
  await each("start", startsOf(drive), (start) => compare(() => drive.arrange(start, drive.fixture.resource())));
  await each("break", drive.fixture.breaks, (damage) =>
    compare(async () => {
      const resource = drive.fixture.resource();
      await drive.converge(resource);
      return drive.arrange(damage, resource);
    }),
  );
  await each("deletion", { "of the converged": true }, () =>
    compare(async () => {
      const resource = drive.fixture.resource();
      await drive.converge(resource);
      return deletionOf(resource);
    }),
  );
}

/** All roads: from every start, after every break, and through deletion; `step` does the first action of each plan. */
async function alongEveryRoad(drive: AnyDrive, step: (resource: Resource, plan: Plan) => Promise<void>): Promise<void> {
  const walk = async (resource: Resource) => {
    const running = await drive.start();
    for (let done = 0; ; done++) {
      const plan = await drive.loop.look(running, resource);
      if (plan.blocked) throw plan.blocked;
      if (plan.actions.length === 0 && !plan.waiting) break;
      demand(done <= drive.fixture.maxActions, "never came to an end", plan);
      if (plan.actions.length > 0) await step(resource, plan);
      else await drive.converge(resource, running);
    }
    await drive.stop(running);
  };
  await each("start", startsOf(drive), async (start) => walk(await drive.arrange(start, drive.fixture.resource())));
  await each("break", { ...drive.fixture.breaks, deletion: async (resource: Resource) => deletionOf(resource) }, async (damage) => {
    const resource = drive.fixture.resource();
    await drive.converge(resource);
    await walk(await drive.arrange(damage, resource));
  });
}

async function twiceIsOnce(drive: AnyDrive): Promise<void> {
  await alongEveryRoad(drive, async (resource, { actions: [action] }) => {
    demand(action !== undefined, "no action");
    await drive.loop.apply(await drive.start(), resource, action);
    const once = [await drive.ours(resource), await drive.shape(resource)];
    await drive.loop.apply(await drive.start(), resource, action);
    const twice = [await drive.ours(resource), await drive.shape(resource)];
    demand(deepEqual(once[1], twice[1]), `${action.type} twice is not ${action.type} once`, { once, twice });
    await drive.stopAll();
  });
}

function effectFault(effect: Action["effect"], before: OutsideThing[], after: OutsideThing[]): string | undefined {
  const was = new Map(before.map((thing) => [thing.id, thing]));
  const is = new Map(after.map((thing) => [thing.id, thing]));
  const added = after.filter((thing) => !was.has(thing.id));
  const removed = before.filter((thing) => !is.has(thing.id));
  const changed = after.filter((thing) => was.has(thing.id) && !deepEqual(was.get(thing.id), thing));
  const counts = `${effect} added ${added.length}, changed ${changed.length}, removed ${removed.length}`;
  const one = added.length + changed.length + removed.length === 1;
  // A thing can be there in part (a mark without its file), so making or removing it may show as a change.
  const fitting = { create: removed.length === 0, update: changed.length === 1, delete: added.length === 0 }[effect];
  return one && fitting ? undefined : `${counts}\n${JSON.stringify({ added, changed, removed })}`;
}

async function dryRunIsTheRun(drive: AnyDrive): Promise<void> {
  await alongEveryRoad(drive, async (resource, shown) => {
    const before = await drive.evidence(resource);
    const things = await drive.fixture.inventory(resource);
    const running = await drive.start();
    const plan = await drive.loop.look(running, resource);
    demand(deepEqual(plan.actions, shown.actions), "the dry-run showed other actions than the run", { shown, plan });
    const after = await drive.evidence(resource);
    demand(after === before, `a dry-run wrote to the target\nbefore ${before}\nafter ${after}`);
    const [action] = plan.actions;
    demand(action !== undefined, "no action");
    await drive.loop.apply(running, resource, action);
    if (drive.fixture.exactEffects !== false) {
      const fault = effectFault(action.effect, things, await drive.fixture.inventory(resource));
      demand(fault === undefined, `${action.type}: ${fault}`, action);
    }
    await drive.stop(running);
  });
}

async function planIsPure(drive: AnyDrive): Promise<void> {
  const { controller } = await drive.start();
  await fc.assert(
    fc.asyncProperty(drive.fixture.inputs, async (input) => {
      const copy = structuredClone(input);
      deepFreeze(input);
      const plan = controller.plan(input);
      checkPlan(plan, input.deleting);
      demand(deepEqual(reportOf(plan), reportOf(controller.plan(copy))), "plan gave two answers to one question");
      demand(deepEqual(plan.actions, controller.plan(copy).actions), "plan gave two lists of actions to one question");
    }),
    { numRuns: 300 },
  );
}

async function deletionDrains(drive: AnyDrive): Promise<void> {
  const untouched = drive.fixture.resource();
  await drive.converge(deletionOf(untouched));
  const ends = { "left converged": async () => undefined, ...drive.fixture.breaks };
  await each("deletion of what was", ends, async (damage) => {
    const resource = drive.fixture.resource();
    const neighbour = drive.fixture.resource();
    await drive.converge(neighbour);
    await drive.converge(resource);
    const beside = await drive.shape(neighbour);
    const gone = deletionOf(await drive.arrange(damage, resource));
    await drive.converge(gone);
    demand((await drive.ours(gone)).length === 0, "deleted, and something of ours is left", await drive.ours(gone));
    const before = await drive.evidence(gone);
    await drive.converge(gone);
    demand((await drive.evidence(gone)) === before, "a second deletion wrote to the target");
    demand(deepEqual(await drive.shape(neighbour), beside), "deleting one resource changed another's things");
    await drive.converge(deletionOf(neighbour));
  });
}

async function foreignStays(drive: AnyDrive): Promise<void> {
  await each("foreign", drive.fixture.foreign, async (foreign) => {
    const resource = await drive.arrange(foreign.arrange, drive.fixture.resource());
    const running = await drive.start();
    const before = await foreign.snapshot(resource);
    if (foreign.reason === undefined) await drive.converge(resource, running);
    else {
      const failure = await drive.failure(resource, running);
      demand(failure.reason === foreign.reason, `expected ${foreign.reason}, got ${failure.reason}: ${failure.message}`);
    }
    demand(deepEqual(await foreign.snapshot(resource), before), "a foreign thing was changed", before);
    await drive.converge(deletionOf(resource), running);
    demand(deepEqual(await foreign.snapshot(resource), before), "a foreign thing was changed by the deletion", before);
    await drive.stop(running);
  });
}

async function failsTwiceWith(drive: AnyDrive, reason: Reason, resource: Resource, running: AnyRunning): Promise<void> {
  const failures = [await drive.failure(resource, running), await drive.failure(resource, running)];
  for (const failure of failures) demand(failure.reason === reason, `expected ${reason}, got ${failure.reason}: ${failure.message}`);
  const messages = failures.map((failure) => failure.message);
  demand(messages[0] !== "" && messages[0] === messages[1], "the message of one fault changes, or is empty", messages);
}

async function faultsAreNamed(drive: AnyDrive): Promise<void> {
  await each("fault", drive.fixture.faults, async (fault) => {
    const running = await drive.start();
    const start = drive.fixture.resource();
    if (fault.strikes === "converged") await drive.converge(start, running);
    const faulty = await drive.arrange(fault.arrange, start);
    try {
      await failsTwiceWith(drive, fault.reason, faulty, running);
    } catch (thrown) {
      // The target is shared by all tests of the kind: a fault that was not named must not outlive its test.
      await fault.repair?.(faulty);
      throw thrown;
    }
    if (fault.repair) await drive.converge(await drive.arrange(fault.repair, faulty), running);
    await drive.stop(running);
  });
}

export const GUARANTEES: Record<string, Guarantee> = {
  "converged means silent: looked at again and after a restart there is no drift, no action, no write and the same report": silentTwice,
  "it converges from every starting point within its bound of actions": fromAnyStart,
  "it heals every way of breaking reality, to the same state as before": afterAnyBreak,
  "a restart after any apply changes neither the steps nor the end: no duplicate, nothing skipped": restartAnywhere,
  "the same action applied twice equals once": twiceIsOnce,
  "plan is deterministic, does not touch its input, never throws, and shows a difference for all it does": planIsPure,
  "a dry-run writes nothing, and the run does exactly the first action it showed": dryRunIsTheRun,
  "deletion drains to nothing of ours, touches no neighbour and is then silent": deletionDrains,
  "what does not carry our mark is never changed or deleted": foreignStays,
  "every fault ends with its own reason and one message, and once repaired it converges": faultsAreNamed,
};
