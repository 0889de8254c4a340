import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { Drive } from "@/lib/conformance/drive";
import { deletionOf, describeKindSideBySide, edited, type KindFixture, newResource } from "@/lib/conformance/kind";
import { createProcesses } from "@/lib/providers/processes";
import { byHand, eventually, killHard, STAY, sweep, witnessed } from "@/lib/providers/processes/witness";
import type { Json, Resource } from "@/lib/resource";
import replicaSet, { kind } from ".";
import { inputs } from "./arbitrary.fixture";
import type { Observed } from "./observe";
import type { ReplicaSetSpec } from "./schema";
import { templateHash } from "./template";

type Set = Resource<ReplicaSetSpec>;
type Fixture = KindFixture<ReplicaSetSpec, Observed>;
const SAMPLE = path.join(import.meta.dirname, "sample/sample-service.mjs");

class World {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), "setpoint-replicaset-"));
  readonly installation = `test-${randomUUID()}`;
  readonly unreadable = path.join(this.folder, "plain.mjs");
  readonly foreign: { pid: number }[] = [];
  #recent: string[] = [];

  constructor() {
    writeFileSync(this.unreadable, "#!/usr/bin/env node\n");
    chmodSync(this.unreadable, 0o644);
  }

  async start() {
    const allowExec = [SAMPLE, this.unreadable];
    const processes = createProcesses({ allowExec, installation: this.installation, dataDir: this.folder, clock: systemClock });
    return { controller: replicaSet({ processes }) };
  }

  resource(change: Record<string, Json> = {}): Set {
    return newResource(kind, "web", { replicas: 2, template: { command: ["sample-service"], env: { VERSION: "1" } }, ...change });
  }

  /** As `resource`; ends what those before the last few left running, so that hundreds of processes do not pile up. */
  next(): Set {
    const resource = this.resource();
    this.#recent = [...this.#recent.slice(-3), resource.metadata.uid];
    for (const { uid, pid, ordinal } of witnessed(this.installation))
      if (!this.#recent.includes(uid) && !Number.isNaN(ordinal)) process.kill(pid, "SIGKILL");
    return resource;
  }

  of(resource: Set) {
    return witnessed(this.installation).filter(({ uid }) => uid === resource.metadata.uid);
  }

  pid(resource: Set, ordinal: number): number {
    const found = this.of(resource).find((process) => process.ordinal === ordinal);
    if (!found) throw new Error(`nothing runs in slot ${ordinal}`);
    return found.pid;
  }

  mark(resource: Set, ordinal: number): Record<string, string> {
    return {
      SETPOINT_INSTANCE: `${this.installation}/${resource.metadata.uid}/${ordinal}`,
      SETPOINT_TEMPLATE: templateHash(resource.spec),
    };
  }

  async close(): Promise<void> {
    for (const { pid } of this.foreign) await killHard(pid);
    await sweep(this.installation);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const withEnv = (resource: Set, env: Record<string, string>) => edited(resource, { template: { ...resource.spec.template, env } });

function fixtureOf(world: World): Fixture {
  const byHandIn = (ordinal: number, detached: boolean) => async (resource: Set) => {
    await byHand(STAY, world.mark(resource, ordinal), detached);
  };
  const foreign = (env: (resource: Set) => Record<string, string>) => ({
    arrange: async (resource: Set) => {
      world.foreign.push(await byHand(STAY, env(resource)));
    },
    snapshot: async () => world.foreign.map(({ pid }) => [pid, alive(pid)]),
  });
  return {
    start: () => world.start(),
    resource: () => world.next(),
    starts: {
      "one instance of an older start": async (resource) => {
        const { controller } = await world.start();
        const signal = AbortSignal.timeout(10_000);
        const input = { ordinal: 1, template: templateHash(resource.spec), settle: false };
        const action = { type: "Start", effect: "create", target: "", reason: "", message: "", input } as const;
        const context = { purpose: "apply", idempotencyKey: "", signal, now: systemClock.now, installation: world.installation } as const;
        const none = { lookup: async () => undefined, secret: async () => "" };
        await controller.apply(action, resource, { ...context, ...none });
      },
      "one beyond the replicas": byHandIn(5, true),
      "a leftover that leads no group": byHandIn(0, false),
    },
    breaks: {
      "kill -9 of one": (resource) => killHard(world.pid(resource, 1)),
      "kill -9 of all": async (resource) => {
        for (const { pid } of world.of(resource)) await killHard(pid);
      },
      "a duplicate by hand": byHandIn(0, true),
      "scaled up": async (resource) => edited(resource, { replicas: 4 }),
      "scaled down": async (resource) => edited(resource, { replicas: 1 }),
      "another environment": async (resource) => withEnv(resource, { VERSION: "2" }),
    },
    faults: {
      "a command that is not allowed": {
        reason: "InvalidSpec",
        arrange: async (resource) => edited(resource, { template: { ...resource.spec.template, command: ["/bin/sh"] } }),
      },
      "a command that is not executable": {
        reason: "AccessDenied",
        arrange: async (resource) => edited(resource, { template: { ...resource.spec.template, command: ["plain"] } }),
        repair: async (resource) => edited(resource, { template: { ...resource.spec.template, command: ["sample-service"] } }),
      },
      "a command that ends at once": {
        reason: "TargetError",
        // Of several, which one is named depends on which one the machine lets end first.
        arrange: async (resource) => edited(withEnv(resource, { FAIL: "1" }), { replicas: 1 }),
        repair: async (resource) => withEnv(resource, { FAIL: "0" }),
      },
      "a new template that ends at once": {
        reason: "TargetError",
        strikes: "converged",
        arrange: async (resource) => withEnv(resource, { FAIL: "1" }),
        repair: async (resource) => withEnv(resource, { VERSION: "1" }),
      },
    },
    foreign: {
      "the same program without a mark": foreign(() => ({})),
      "the mark of another installation": foreign((resource) => ({ SETPOINT_INSTANCE: `another/${resource.metadata.uid}/0` })),
      "a mark that is none": foreign((resource) => ({ SETPOINT_INSTANCE: `${world.installation}/${resource.metadata.uid}/x` })),
    },
    inventory: async (resource) =>
      world
        .of(resource)
        .filter(({ ordinal }) => !Number.isNaN(ordinal))
        .map(({ pid, startTicks, ordinal, template }) => ({ id: `${pid}/${startTicks}`, ours: true, state: { ordinal, template } })),
    fingerprint: async () => witnessed(world.installation).map(({ pid, startTicks }) => `${pid}/${startTicks}`),
    inputs,
    maxActions: 12,
    installation: world.installation,
    close: () => world.close(),
  };
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describeKindSideBySide("ReplicaSet", async () => fixtureOf(new World()));

describe("ReplicaSet", () => {
  let world: World;
  let drive: Drive<ReplicaSetSpec, Observed>;
  beforeEach(() => {
    world = new World();
    drive = new Drive(fixtureOf(world));
  });
  afterEach(() => world.close());

  test("one of three killed: exactly that slot is filled again, and the others keep their processes", async () => {
    const resource = world.resource({ replicas: 3 });
    const running = await drive.start();
    await drive.converge(resource, running);
    const before = world.of(resource).map(({ pid }) => pid);
    await killHard(before[1] ?? 0);
    const { actions } = await drive.converge(resource, running);
    const after = world.of(resource).map(({ pid }) => pid);
    expect(actions.map(({ message }) => message)).toEqual([
      `Start process web-1 (template ${templateHash(resource.spec)}): the last one was ended by SIGKILL.`,
    ]);
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    expect(after).toHaveLength(3);
  });

  test("each instance serves on the probe's port plus its ordinal; a sick one is waited for and never green", async () => {
    const port = await freePorts(2);
    const resource = world.resource({ probe: { http: { port, path: "/healthz" } } });
    const { plan } = await drive.converge(resource);
    expect(plan.conditions).toMatchObject([{ type: "Available", status: "True" }]);
    const answers = await Promise.all([0, 1].map(async (ordinal) => (await fetch(`http://127.0.0.1:${port + ordinal}/`)).json()));
    expect(answers).toMatchObject([0, 1].map((ordinal) => ({ ordinal, version: "1", pid: world.pid(resource, ordinal) })));

    const sick = withEnv(resource, { VERSION: "2", SICK: "1" });
    const running = await drive.start();
    const stuck = await eventually("the roll-out waits for the sick one", async () => {
      const look = await drive.loop.look(running, sick);
      if (look.actions[0]) await drive.loop.apply(running, sick, look.actions[0]);
      return look.waiting?.message.includes("HTTP 503") ? look : undefined;
    });
    expect(stuck.conditions).toMatchObject([{ type: "Available", status: "False", reason: "ProbeFailing" }]);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).json()).toMatchObject({ version: "1" });
    await drive.converge(withEnv(sick, { VERSION: "3" }), running);
    expect(await (await fetch(`http://127.0.0.1:${port + 1}/`)).json()).toMatchObject({ version: "3" });
  });

  test("deletion leaves no process and no folder", async () => {
    const resource = world.resource();
    await drive.converge(resource);
    const folder = path.join(world.folder, "instances", resource.metadata.uid);
    expect(existsSync(folder)).toBe(true);
    await drive.converge(deletionOf(resource));
    expect(world.of(resource)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  test("a folder left by a crash while a slot was given up is removed by a later pass", async () => {
    const resource = world.resource({ replicas: 1 });
    const folder = path.join(world.folder, "instances", resource.metadata.uid, "3");
    mkdirSync(folder, { recursive: true });
    const { actions } = await drive.converge(resource);
    expect(actions.map(({ type }) => type)).toEqual(["Clear", "Start"]);
    expect(existsSync(folder)).toBe(false);
  });

  test("the report of what runs does not change while nothing does, a restart of Setpoint included", async () => {
    const resource = world.resource();
    const { plan } = await drive.converge(resource);
    const again = await drive.loop.look(await drive.start(), resource);
    expect(again.observed).toEqual(plan.observed);
    expect(plan.observed).toMatchObject({ running: 2, ready: 2, instances: [{ ordinal: 0, ready: true }, { ordinal: 1 }] });
  });
});

async function freePorts(count: number): Promise<number> {
  return eventually("a run of free ports", async () => {
    const first = await listen(0);
    const { port } = first;
    const rest = await Promise.all([...Array(count - 1).keys()].map((index) => listen(port + 1 + index)));
    const servers = [first, ...rest];
    await Promise.all(servers.map(({ close }) => close()));
    return servers.every((server) => server.port > 0) && port;
  });
}

function listen(wanted: number): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve({ port: 0, close: async () => {} }));
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      resolve({ port, close: () => new Promise((closed) => server.close(() => closed())) });
    });
  });
}
