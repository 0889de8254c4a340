/** A whole server for clients nobody here wrote: the TLS listener, the API, the engine and real kinds over a real PostgreSQL; for tests only. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import configFile from "@/controllers/configfile";
import replicaSet from "@/controllers/replicaset";
import secret from "@/controllers/secret";
import { type AnyKind, type Api, createApi } from "@/lib/api";
import { createAuth } from "@/lib/auth";
import { systemClock } from "@/lib/clock";
import { Collector } from "@/lib/collector";
import { openTestStore } from "@/lib/conformance/store";
import type { AnyController } from "@/lib/controller";
import { Engine } from "@/lib/engine";
import { createFiles } from "@/lib/providers/files";
import { createProcesses } from "@/lib/providers/processes";
import { SAMPLE_SERVICE } from "@/lib/runtime/config";
import { Observer } from "@/lib/runtime/observer";
import { secretReader } from "@/lib/runtime/secrets";
import { createSealer } from "@/lib/secrets";
import { type ApiListener, openApiListener } from "..";

export const TOKEN = "bootstrap-token-of-the-tests";
const HOST = "127.0.0.1";

export type TestServer = Awaited<ReturnType<typeof startServer>>;

export async function startServer() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-listener-"));
  const clock = systemClock;
  const store = await openTestStore();
  const key = randomBytes(32);
  const sealer = createSealer(key);
  const { installation } = store;
  const files = createFiles({ root: path.join(folder, "files"), installation, clock });
  const processes = createProcesses({ allowExec: [path.resolve(SAMPLE_SERVICE)], installation, dataDir: folder, clock });
  const controllers: AnyController[] = [configFile({ files }), replicaSet({ processes }), secret({})];
  const engine = new Engine({
    store: store.engine,
    resources: store.resources,
    history: store.history,
    signal: store.signal,
    clock,
    controllers,
    installation,
    secret: secretReader(store.resources, sealer),
    worker: { id: randomUUID(), host: "here", pid: process.pid, role: "all", version: "0.0.0" },
    log: () => undefined,
    eager: true,
  });
  const auth = createAuth({
    users: store.users,
    access: store.access,
    history: store.history,
    clock,
    encryptionKey: key,
    bootstrapToken: TOKEN,
    log: () => undefined,
  });
  const observer = new Observer(engine, store.engine, controllers, "here", clock);
  const logged: string[] = [];
  const kinds: AnyKind[] = controllers.map(({ kind }) => kind);
  const api: Api = createApi({
    resources: store.resources,
    history: store.history,
    console: store.console,
    catalogue: store.catalogue,
    kindPauses: store.engine.kindPauses,
    signal: store.signal,
    engine: {
      kinds,
      plan: (resource) => observer.plan(resource),
      planCandidate: (current, candidate) => observer.planCandidate(current, candidate),
      wake: (resource) => observer.wake(resource),
      freshness: (resources) => observer.freshness(resources),
    },
    auth,
    users: auth.users,
    tokens: auth.tokens,
    access: auth.access,
    sealer,
    clock,
    hostName: "here",
    version: "0.0.0",
    log: (message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`),
  });
  const requests: string[] = [];
  const between: { before?: (request: Request) => Promise<void> } = {};
  const recorded: Pick<Api, "handle"> = {
    async handle(request) {
      requests.push(`${request.method} ${request.url.slice("https://localhost".length)}`);
      await between.before?.(request);
      return api.handle(request);
    },
  };
  const listener = await openApiListener({
    ...{ api: recorded, port: 0, host: HOST, hostName: "here", dataDir: folder, clock },
    log: (message) => logged.push(message),
  });
  await engine.start();
  const collector = new Collector({
    ...{ store: store.collection, resources: store.resources, history: store.history, signal: store.signal, clock },
    ...{ kinds: controllers.map(({ kind }) => kind), mentioning: store.console.mentioning },
    mine: () => true,
    log: (message) => logged.push(message),
  });
  collector.start();
  const kubeconfig = await writeKubeconfig(folder, listener, TOKEN);
  return {
    folder,
    store,
    api,
    listener,
    server: `https://${HOST}:${listener.port}`,
    ca: listener.authority ?? "",
    /** Every request so far, method and path. */
    requests,
    /** What happens before a request is looked at, where a test says so. */
    between,
    /** What the API had to log: nothing, unless something is wrong. */
    logged,
    /** Asks the API itself, as JSON and with the administrator's token; the body of the answer. */
    async ask(method: string, path: string, body?: object) {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const answer = await api.handle(new Request(`https://localhost${path}`, { method, headers, body: body && JSON.stringify(body) }));
      return answer.json();
    },
    kubeconfig,
    kubeconfigFor: (token: string) => writeKubeconfig(folder, listener, token),
    async close() {
      api.close();
      await listener.close();
      await collector.close();
      await engine.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeKubeconfig(folder: string, { port, authority = "" }: ApiListener, token: string): Promise<string> {
  const file = path.join(folder, `kubeconfig-${token.slice(-12)}`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "c",
        cluster: { server: `https://${HOST}:${port}`, "certificate-authority-data": Buffer.from(authority).toString("base64") },
      },
    ],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "default" } }],
    "current-context": "x",
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
