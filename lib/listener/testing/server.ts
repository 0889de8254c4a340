/** A whole server for clients nobody here wrote: the TLS listener, the API, the engine and real kinds over a real PostgreSQL; for tests only. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Api } from "@/lib/api";
import { systemClock } from "@/lib/clock";
import { openTestStore } from "@/lib/conformance/store";
import { readConfig } from "@/lib/runtime/config";
import { compose } from "@/lib/runtime/start";
import { type ApiListener, openApiListener } from "..";

export const TOKEN = "bootstrap-token-of-the-tests";
const HOST = "127.0.0.1";

export type TestServer = Awaited<ReturnType<typeof startServer>>;

export async function startServer() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-listener-"));
  const store = await openTestStore();
  const logged: string[] = [];
  const note = (message: string, fields = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const environment = {
    SETPOINT_BOOTSTRAP_TOKEN: TOKEN,
    SETPOINT_DATA_DIR: folder,
    SETPOINT_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SETPOINT_ADMIN_EMAIL: "ada@example.org",
    SETPOINT_ADMIN_PASSWORD: randomBytes(16).toString("hex"),
  };
  const config = readConfig(environment, { cwd: process.cwd(), hostName: "here" });
  const runtime = await compose(config, store, { info: () => undefined, warn: note, error: note }, () => store.close());
  const { api } = runtime;
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
    ...{ api: recorded, port: 0, host: HOST, hostName: "here", dataDir: folder, clock: systemClock },
    log: note,
  });
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
      await runtime.close();
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
