/** kill -9 at every registered crash point, for create, update and delete of every kind that acts. */
import { systemClock } from "@/lib/clock";
import { CRASH_POINTS } from "@/lib/engine";
import type { JsonObject } from "@/lib/resource";
import type { Passed } from "./orders";
import { HOST, type World } from "./world";

export const OPERATIONS = ["create", "update", "delete"] as const;
type Operation = (typeof OPERATIONS)[number];

interface Subject {
  kind: string;
  before(name: string): JsonObject;
  after: JsonObject;
  /** Checks the outside world, which should be as `wanted` says, or empty. */
  outside(world: World, name: string, uid: string, wanted: "before" | "after" | "nothing"): Promise<void>;
}

function expect(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

const replicaSet: Subject = {
  kind: "ReplicaSet",
  before: () => ({ replicas: 2, host: HOST, template: { command: ["sleep", "100000"], env: { V: "before" }, stopGraceSeconds: 1 } }),
  after: { template: { command: ["sleep", "100000"], env: { V: "after" }, stopGraceSeconds: 1 } },
  async outside(world, name, uid, wanted) {
    const running = world.processesOf(uid);
    const count = wanted === "nothing" ? 0 : 2;
    expect(running.length === count, `${name}: ${running.length} processes instead of ${count}`);
    for (const environment of running) expect(environment.includes(`V=${wanted}`), `${name}: a process of another template`);
    const slots = new Set(running.map((environment) => environment.find((line) => line.startsWith("SETPOINT_INSTANCE="))));
    expect(slots.size === count, `${name}: two processes in one slot`);
  },
};

const configFile: Subject = {
  kind: "ConfigFile",
  before: (name) => ({ path: `${name}.conf`, content: "before", host: HOST }),
  after: { content: "after" },
  async outside(world, name, _uid, wanted) {
    const content = world.fileOf(`${name}.conf`);
    expect(content === (wanted === "nothing" ? undefined : wanted), `${name}.conf holds ${content}, not ${wanted}`);
  },
};

const postgresRole: Subject = {
  kind: "PostgresRole",
  before: (name) => ({ server: "main", name, connectionLimit: 1, memberOf: ["pg_monitor"] }),
  after: { connectionLimit: 2, memberOf: ["pg_read_all_data"] },
  async outside(world, name, _uid, wanted) {
    const rows = await world.server.query(
      `select rolconnlimit as limit, array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid) as groups
       from pg_roles r where rolname = $1`,
      [name],
    );
    const shown = JSON.stringify(rows);
    if (wanted === "nothing") return expect(rows.length === 0, `role ${name} is left: ${shown}`);
    const [limit, group] = wanted === "before" ? [1, "pg_monitor"] : [2, "pg_read_all_data"];
    expect(shown === JSON.stringify([{ limit, groups: [group] }]), `role ${name} is ${shown}`);
  },
};

/** Secret and PostgresServer have no actions: there is no point at which they could be killed. */
export const SUBJECTS: readonly Subject[] = [replicaSet, configFile, postgresRole];

const TTL_MS = 5_000;

function nameOf({ kind }: Subject, point: string, operation: Operation): string {
  return `${kind.toLowerCase()}-${point}-${operation}`.replaceAll("_", "-");
}

interface Case {
  subject: Subject;
  operation: Operation;
  name: string;
}

function casesOf(label: string): Case[] {
  return SUBJECTS.flatMap((subject) => OPERATIONS.map((operation) => ({ subject, operation, name: nameOf(subject, label, operation) })));
}

async function prepare(world: World, cases: Case[]): Promise<void> {
  for (const { subject, operation, name } of cases)
    if (operation !== "create") await world.create(subject.kind, name, subject.before(name));
}

async function intend(world: World, { subject, operation, name }: Case): Promise<void> {
  if (operation === "create") await world.create(subject.kind, name, subject.before(name));
  else if (operation === "update") await world.update(subject.kind, name, subject.after);
  else await world.remove(subject.kind, name);
}

async function uidsOf(world: World, cases: Case[]): Promise<Map<Case, string>> {
  const uids = new Map<Case, string>();
  for (const entry of cases) uids.set(entry, (await world.get(entry.subject.kind, entry.name))?.metadata.uid ?? "");
  return uids;
}

async function judge(world: World, uids: Map<Case, string>): Promise<void> {
  for (const [{ subject, operation, name }, uid] of uids) {
    const wanted = operation === "create" ? "before" : operation === "update" ? "after" : "nothing";
    await subject.outside(world, name, uid, wanted);
    expect(
      ((await world.get(subject.kind, name)) === undefined) === (operation === "delete"),
      `${name}: the object is lost, or never left`,
    );
  }
}

export interface CrashReport {
  kills: number;
  /** Every crash point passed by any process, in order. */
  passed: Passed[];
}

/** One kill for each crash point, at the moment in which every operation on every kind stands at it. */
export async function crashTogether(world: World): Promise<CrashReport> {
  await world.createServer();
  const sets = CRASH_POINTS.map((point) => ({ point, cases: casesOf(point) }));
  for (const { cases } of sets) await prepare(world, cases);
  const passed: Passed[] = [];
  const uids = new Map<Case, string>();
  for (const [index, { point, cases }] of sets.entries()) {
    const objects = cases.map(({ subject, operation, name }) => `${subject.kind}/${name}@${operation === "create" ? 1 : 2}`);
    const intentions = async () => {
      for (const entry of cases) await intend(world, entry);
      for (const [entry, uid] of await uidsOf(world, cases)) uids.set(entry, uid);
    };
    // The first worker also makes what the others change and delete.
    if (index > 0) await intentions();
    const worker = world.spawn({ leaseTtlMs: TTL_MS, together: { point, objects } });
    if (index === 0) {
      await world.settled();
      await intentions();
    }
    const { signal } = await worker.gone();
    passed.push(...worker.passed);
    if (signal !== "SIGKILL") throw new Error(`a worker ended by itself instead of dying at ${point}:\n${worker.lastWords()}`);
  }
  const last = world.spawn({ leaseTtlMs: TTL_MS });
  await world.settled();
  await last.close();
  passed.push(...last.passed);
  await judge(world, uids);
  return { kills: sets.length, passed };
}

/** A kill at every crash point of every action there is, one process after another, until one comes through. */
export async function crashEverywhere(world: World): Promise<CrashReport> {
  await world.createServer();
  const cases = casesOf("each");
  await prepare(world, cases);
  const passed: Passed[] = [];
  const died: string[] = [];
  const run = async () => {
    const deadline = systemClock.monotonic() + 600_000;
    while (systemClock.monotonic() < deadline) {
      const worker = world.spawn({ leaseTtlMs: TTL_MS, unless: died });
      await Promise.race([worker.gone(), world.settled(120_000)]);
      const killed = worker.ended()?.signal === "SIGKILL";
      await worker.close();
      passed.push(...worker.passed);
      const last = worker.passed.at(-1);
      if (!killed) return;
      if (last) died.push(`${last.point} ${last.object.split("/")[0]} ${last.action}`);
    }
    throw new Error("not through within 600 s");
  };
  await run();
  for (const entry of cases) await intend(world, entry);
  const uids = await uidsOf(world, cases);
  await run();
  await judge(world, uids);
  return { kills: died.length, passed };
}

/** Points that were passed and are not registered, or are registered and were not passed by some kind. */
export function uncovered({ passed }: CrashReport): string[] {
  const known: ReadonlySet<string> = new Set(CRASH_POINTS);
  const unregistered = passed.filter(({ point }) => !known.has(point)).map(({ point }) => `${point} is not registered`);
  const reached = new Set(passed.map(({ point, object }) => `${point} ${object.split("/")[0]}`));
  const never = SUBJECTS.flatMap(({ kind }) =>
    CRASH_POINTS.filter((point) => !reached.has(`${point} ${kind}`)).map((point) => `${kind} never passed ${point}`),
  );
  return [...new Set([...unregistered, ...never])];
}
