import { randomUUID } from "node:crypto";
import { factories } from "@/controllers/registry.gen";
import { type Api, type ApiDependencies, type Cluster, createApi } from "@/lib/api";
import { type Auth, createAuth } from "@/lib/auth";
import { systemClock } from "@/lib/clock";
import { Collector } from "@/lib/collector";
import type { AnyController } from "@/lib/controller";
import { Engine, type EngineOptions, type WorkDone } from "@/lib/engine";
import { type ApiListener, openApiListener } from "@/lib/listener";
import { createLogger, type Logger } from "@/lib/observability";
import type { Providers } from "@/lib/providers";
import { createFiles } from "@/lib/providers/files";
import { createPostgres } from "@/lib/providers/postgres";
import { createProcesses } from "@/lib/providers/processes";
import { createSealer } from "@/lib/secrets";
import type { Store } from "@/lib/store/prisma";
import { version } from "@/package.json";
import { type Runtime, setRuntime } from ".";
import { type Config, configOfProcess } from "./config";
import { demoAuth, loadDemo } from "./demo";
import { checkKey, encryptionKey } from "./key";
import { Observer } from "./observer";
import { secretReader } from "./secrets";
import { prepareStore } from "./store";

/** Whoever holds it collects garbage. */
const COLLECTORS_SHARD = "shard/0";

/** What only tests of real processes set: where to die or to freeze, and leases short enough to wait for. */
export type Trial = Pick<EngineOptions, "crashPoint" | "leaseTtlMs">;

/** The composition root: reads the configuration, puts ports and adapters together, starts the controllers. Throws what keeps it from running. */
export async function startRuntime(trial: Trial = {}): Promise<Runtime> {
  const config = configOfProcess();
  const log = createLogger("setpoint");
  const { store, close } = await prepareStore(config, log);
  try {
    const runtime = await compose(config, store, log, close, trial);
    setRuntime(runtime);
    return runtime;
  } catch (error) {
    await close();
    throw error;
  }
}

/** As `startRuntime`, with what it reads and opens given: nothing of the process is looked at. */
export async function compose(
  config: Config,
  store: Store,
  log: Logger,
  closeStore: () => Promise<void>,
  trial: Trial = {},
): Promise<Runtime> {
  const clock = systemClock;
  const key = await encryptionKey(config);
  await checkKey(store.pool, key);
  const sealer = createSealer(key);
  const providers = makeProviders(config, store.installation);
  const controllers: AnyController[] = factories.map((factory) => factory(providers));
  const newEngine = (bounded: boolean) =>
    new Engine({
      store: store.engine,
      resources: store.resources,
      history: store.history,
      signal: store.signal,
      clock,
      controllers,
      installation: store.installation,
      secret: secretReader(store.resources, sealer),
      worker: { id: randomUUID(), host: config.hostName, pid: process.pid, role: config.role, version },
      log: (message) => log.info(message),
      // For a bounded run everything is looked at at once, and no shards are moved for its sake.
      eager: bounded,
      guest: bounded,
      ...trial,
    });
  const engine = newEngine(false);
  const auth = createAuth({
    users: store.users,
    access: store.access,
    history: store.history,
    clock,
    encryptionKey: key,
    bootstrapToken: config.bootstrapToken,
    publicUrl: config.publicUrl,
    log: (message) => log.warn(message),
  });
  const observer = new Observer(engine, store.engine, controllers, config.hostName, clock);
  let cluster: Cluster | undefined;
  const ports: ApiDependencies = {
    resources: store.resources,
    history: store.history,
    console: store.console,
    catalogue: store.catalogue,
    kindPauses: store.engine.kindPauses,
    signal: store.signal,
    engine: {
      kinds: controllers.map(({ kind }) => kind),
      plan: (r) => observer.plan(r),
      planCandidate: (a, b) => observer.planCandidate(a, b),
      wake: (r) => observer.wake(r),
      freshness: (r) => observer.freshness(r),
    },
    auth,
    users: auth.users,
    tokens: auth.tokens,
    access: auth.access,
    sealer,
    clock,
    hostName: config.hostName,
    version,
    cluster: () => cluster,
    log: (message, fields) => log.error(message, fields),
  };
  const api = createApi(ports);
  await firstAccount(config, auth, log);
  if (config.demo) await loadDemo(config, store.resources, createApi({ ...ports, auth: demoAuth }), log);
  for (const { kind } of controllers) await store.restoreClaims(kind.name, (object) => kind.claims?.(object) ?? []);
  const runs = config.role !== "web";
  if (runs) await engine.start();
  const collector = new Collector({
    ...{ store: store.collection, resources: store.resources, history: store.history, signal: store.signal, clock },
    ...{ kinds: controllers.map(({ kind }) => kind), mentioning: store.console.mentioning },
    mine: () => engine.holds(COLLECTORS_SHARD),
    log: (message) => log.warn(message),
  });
  if (runs) collector.start();
  const listener = await serveApi(config, api, log).catch(async (error: unknown) => {
    await collector.close();
    if (runs) await engine.close();
    throw error;
  });
  if (listener) cluster = clusterOf(config, listener);
  let closing: Promise<void> | undefined;
  return {
    config,
    api,
    auth,
    runDueWork: (ms) => (runs ? engine.runFor(ms) : runOnce(newEngine(true), ms)),
    ready: () =>
      store.resources.currentRevision().then(
        () => true,
        () => false,
      ),
    close() {
      closing ??= (async () => {
        api.close();
        await listener?.close();
        await collector.close();
        if (runs) await engine.close();
        await providers.postgres.close();
        await closeStore();
      })();
      return closing;
    },
  };
}

/** The API over TLS, when it is to be served here. */
async function serveApi(config: Config, api: Api, log: Logger): Promise<ApiListener | undefined> {
  if (config.apiPort === undefined || config.role === "worker") return undefined;
  const { host, hostName, publicUrl, dataDir, apiPort: port, apiCertificate: files } = config;
  const listener = await openApiListener({
    ...{ api, port, host, hostName, publicUrl, dataDir, files },
    clock: systemClock,
    log: (message) => log.warn(message),
  });
  log.info(`The API is served at ${clusterOf(config, listener).server}`);
  return listener;
}

/** What a client needs to find this server and to trust it. */
function clusterOf({ host, hostName }: Config, { port, authority }: ApiListener): Cluster {
  const name = host === "0.0.0.0" || host === "::" ? hostName : host;
  const server = `https://${name.includes(":") ? `[${name}]` : name}:${port}`;
  return { server, ...(authority === undefined ? {} : { certificateAuthority: authority }) };
}

function makeProviders(config: Config, installation: string): Providers {
  const clock = systemClock;
  return {
    processes: createProcesses({ allowExec: config.allowExec, installation, dataDir: config.dataDir, clock }),
    files: createFiles({ root: config.fileRoot, installation, clock }),
    postgres: createPostgres({ clock, installation }),
  };
}

/** Controllers for a bounded time in a process that has none: how a scheduler drives the loops where no process lives long. */
async function runOnce(engine: Engine, ms: number): Promise<WorkDone> {
  await engine.start();
  try {
    return await engine.runFor(ms);
  } finally {
    await engine.close();
  }
}

async function firstAccount(config: Config, auth: Auth, log: Logger): Promise<void> {
  if (config.admin && (await auth.users.ensureAdministrator(config.admin))) log.info(`Created the administrator ${config.admin.email}.`);
  const token = await auth.users.setupToken();
  if (token === undefined) return;
  const base = config.publicUrl ?? `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${config.port}`;
  // For the person who starts it: the one moment in which nobody can be asked for a password yet.
  process.stdout.write(`\nNobody has an account yet. Create the first administrator at\n  ${base}/setup?token=${token}\n\n`);
}
