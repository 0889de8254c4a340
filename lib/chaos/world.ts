/** A store, a machine's folder and a PostgreSQL server as targets, with worker processes on them; everything real. */
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { kind as configFile } from "@/controllers/configfile";
import { kind as postgresRole } from "@/controllers/postgresrole";
import { kind as postgresServer } from "@/controllers/postgresserver";
import { kind as replicaSet } from "@/controllers/replicaset";
import { kind as secret } from "@/controllers/secret";
import { systemClock } from "@/lib/clock";
import type { TestPostgres } from "@/lib/conformance/postgres";
import { type Kind, sliceOf } from "@/lib/controller";
import { DEFAULT_CONTROL, FINALIZER, type JsonObject, type Resource } from "@/lib/resource";
import { createSealer, sealContext } from "@/lib/secrets";
import { openStore, type Store } from "@/lib/store/prisma";
import { migrate } from "@/lib/store/prisma/migrate";
import { workerFile } from "./bundle";
import type { Orders } from "./orders";
import { spawnWorker, type WorkerProcess } from "./process";
import { until } from "./until";

export const HOST = "chaos";
const NAMESPACE = "default";
const KEY = Buffer.alloc(32, 7);
const BY = { name: "chaos" };

// biome-ignore lint/suspicious/noExplicitAny: each spec is parsed by its own kind's schema.
const KINDS: Record<string, Kind<any>> = Object.fromEntries(
  [configFile, postgresRole, postgresServer, replicaSet, secret].map((kind) => [kind.name, kind]),
);

export class World {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), "setpoint-chaos-"));
  readonly files = path.join(this.folder, "files");
  private readonly workers: WorkerProcess[] = [];

  private constructor(
    readonly server: TestPostgres,
    readonly databaseUrl: string,
    readonly store: Store,
    private readonly file: string,
  ) {}

  /** A new database on `server`, which is also the target for roles. `reached` is where workers find the store. */
  static async open(server: TestPostgres, { reached = server.port }: { reached?: number } = {}): Promise<World> {
    const name = `chaos_${randomUUID().replaceAll("-", "")}`;
    await server.query(`create database ${name}`);
    const url = (port: number) => `postgres://${server.user}:${server.password}@${server.host}:${port}/${name}`;
    await migrate(url(server.port));
    const store = await openStore({ databaseUrl: url(server.port), clock: systemClock, notify: false, log: () => undefined });
    return new World(server, url(reached), store, await workerFile());
  }

  spawn(orders: Orders): WorkerProcess {
    const worker = spawnWorker(this.file, orders, {
      PATH: "/usr/bin:/bin",
      HOME: this.folder,
      DATABASE_URL: this.databaseUrl,
      SETPOINT_ROLE: "worker",
      SETPOINT_DATA_DIR: path.join(this.folder, "data"),
      SETPOINT_FILE_ROOT: this.files,
      SETPOINT_HOSTNAME: HOST,
      SETPOINT_ENCRYPTION_KEY: KEY.toString("base64"),
      SETPOINT_ALLOW_EXEC: "/bin/sleep",
    });
    this.workers.push(worker);
    return worker;
  }

  /** The PostgresServer `main` with its password, as roles need it. `port` may be a proxy's. */
  async createServer(port = this.server.port): Promise<void> {
    const { host, user, password } = this.server;
    const context = sealContext({ kind: "Secret", namespace: NAMESPACE, name: "keeper" }, ["values", "password"]);
    await this.create("Secret", "keeper", { values: { password: { ...createSealer(KEY).seal(password, context) } } }, false);
    await this.create("PostgresServer", "main", { host, port, user, passwordFrom: { secret: "keeper", key: "password" } });
  }

  /** Stores intent; resolves once it is committed: acknowledged. */
  create(kindName: string, name: string, given: JsonObject, parse = true, namespace = NAMESPACE): Promise<Resource> {
    const kind = KINDS[kindName];
    if (!kind) throw new Error(`no kind ${kindName}`);
    const spec = parse ? kind.schema.parse(given) : given;
    const key = { kind: kindName, namespace, name };
    const slice = sliceOf(kind, spec);
    return this.store.resources.create(
      { ...key, slice, labels: {}, annotations: {}, finalizers: [FINALIZER], ownerReferences: [], spec, control: DEFAULT_CONTROL },
      BY,
      "",
      { actor: BY.name, verb: "create", ...key, outcome: "done" },
    );
  }

  async update(kind: string, name: string, change: JsonObject): Promise<void> {
    const key = { kind, namespace: NAMESPACE, name };
    const audit = { actor: BY.name, verb: "update", ...key, outcome: "done" as const };
    await this.store.resources.mutate(key, BY, ({ spec }) => ({ spec: { ...spec, ...change }, audit }));
  }

  async remove(kind: string, name: string): Promise<void> {
    const key = { kind, namespace: NAMESPACE, name };
    const audit = { actor: BY.name, verb: "delete", ...key, outcome: "done" as const };
    await this.store.resources.mutate(key, BY, () => ({ deletion: true, audit }));
  }

  get(kind: string, name: string): Promise<Resource | undefined> {
    return this.store.resources.get({ kind, namespace: NAMESPACE, name });
  }

  /** Objects that are not what their newest intent says, with why. */
  async unsettled(like = "%"): Promise<string[]> {
    const { rows } = await this.store.pool.query(
      `select kind, name, state, reason, message from resource
       where name like $1 and (state <> 'Converged' or observed_generation <> generation or deletion_at is not null) order by id limit 20`,
      [like],
    );
    return rows.map(({ kind, name, state, reason, message }) => `${kind}/${name}: ${state} ${reason} ${message}`);
  }

  /** Waits until every object is converged and every deleted one has left. */
  async settled(timeoutMs = 90_000, like = "%"): Promise<void> {
    let left: string[] = [];
    const look = async () => {
      left = await this.unsettled(like);
      return left.length === 0;
    };
    await until("everything is converged", look, timeoutMs).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}\n${left.join("\n")}\n${this.workers.at(-1)?.lastWords() ?? ""}`);
    });
  }

  /** Environments of the living processes that carry the mark of this object. */
  processesOf(uid: string): string[][] {
    return environments(`SETPOINT_INSTANCE=${this.store.installation}/${uid}/`).map(({ environment }) => environment);
  }

  /** The content of a managed file; undefined when there is none. */
  fileOf(name: string): string | undefined {
    const file = path.join(this.files, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** How often a controller acted on an object, by the audit. */
  async acts(kind: string, name: string): Promise<{ generation: number; outcome: string; error: string | null; type: string }[]> {
    const { rows } = await this.store.pool.query(
      "select generation::int, outcome, error, detail->>'type' as type from audit where kind = $1 and name = $2 and verb = 'act' order by id",
      [kind, name],
    );
    return rows;
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
    for (const { pid } of environments(`SETPOINT_INSTANCE=${this.store.installation}/`)) process.kill(pid, "SIGKILL");
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Living processes whose environment holds an entry that begins with `entry`. */
function environments(entry: string): { pid: number; environment: string[] }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      return environment.some((line) => line.startsWith(entry)) ? [{ pid: Number(name), environment }] : [];
    } catch {
      // It ended while it was looked at.
      return [];
    }
  });
}
