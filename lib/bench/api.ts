/** What the API over TLS carries. Client and server share this process, so a server on its own carries more. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { z } from "zod";
import { type AnyKind, createApi } from "@/lib/api";
import { createAuth } from "@/lib/auth";
import { systemClock } from "@/lib/clock";
import { openApiListener } from "@/lib/listener";
import { createSealer } from "@/lib/secrets";
import { openStore } from "@/lib/store/prisma";
import { type Measurement, quantile, type Work } from "./work";

const TOKEN = "token-of-the-bench-only";
const PATH = "/apis/setpoint.dev/v1alpha1/namespaces/default/noops";
const CLIENTS = 16;
const SECONDS = 3;
const WATCHERS = 200;
const CHANGES = 50;

const noop: AnyKind = {
  name: "Noop",
  plural: "noops",
  singular: "noop",
  description: "Nothing, measured.",
  schema: z.record(z.string(), z.json()),
  columns: [],
  example: { value: "a" },
};

/** A served API on that database, and a client of it. */
async function open(databaseUrl: string, folder: string) {
  const log = () => undefined;
  const clock = systemClock;
  const store = await openStore({ databaseUrl, clock, notify: true, log });
  const encryptionKey = randomBytes(32);
  const { users, access, history, resources, catalogue, signal, console, engine } = store;
  const auth = createAuth({ users, access, history, clock, encryptionKey, bootstrapToken: TOKEN, log });
  const fresh = { observedAt: null, stale: false };
  const plan = async () => ({ generation: 1, hash: "", observedAt: null, drift: [], fields: [], actions: [] });
  const api = createApi({
    ...{ resources, history, console, catalogue, signal, auth, clock, log, hostName: "bench", version: "bench" },
    kindPauses: engine.kindPauses,
    engine: { kinds: [noop], plan, planCandidate: plan, wake: async () => undefined, freshness: async (all) => all.map(() => fresh) },
    users: auth.users,
    tokens: auth.tokens,
    access: auth.access,
    sealer: createSealer(encryptionKey),
  });
  const listener = await openApiListener({ ...{ api, port: 0, host: "127.0.0.1", hostName: "bench", dataDir: folder, clock, log } });
  const agent = new https.Agent({ keepAlive: true, maxSockets: CLIENTS });
  const base = { host: "127.0.0.1", port: listener.port, ca: listener.authority };
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  return {
    send: (method: string, target: string, body = "") =>
      new Promise<void>((resolve, reject) => {
        const type = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
        https
          .request({ ...base, agent, method, path: target, headers: { ...headers, ...type } }, (response) => {
            const failed = (response.statusCode ?? 500) >= 400;
            response.resume().on("end", () => (failed ? reject(new Error(`${method} ${target}: ${response.statusCode}`)) : resolve()));
          })
          .on("error", reject)
          .end(body);
      }),
    /** A watch; every line is told with the time at which it came. Resolves when the answer has begun. */
    watch: (line: (text: string, at: number) => void) =>
      new Promise<() => void>((resolve, reject) => {
        const request = https.request({ ...base, agent: false, path: `${PATH}?watch=true`, headers }, (response) => {
          response.on("data", (chunk) => line(String(chunk), systemClock.monotonic())).on("error", () => undefined);
          resolve(() => request.destroy());
        });
        request.on("error", reject).end();
      }),
    async close() {
      agent.destroy();
      api.close();
      await listener.close();
      await store.close();
    },
  };
}

type Served = Awaited<ReturnType<typeof open>>;

async function perSecond(metric: string, work: (index: number) => Promise<void>): Promise<Measurement> {
  const end = systemClock.monotonic() + SECONDS * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (systemClock.monotonic() < end) await work(done++);
    }),
  );
  return { metric, value: done / SECONDS, unit: "requests per s" };
}

/** From sending a change to each of the watchers having it. */
async function fanOut(served: Served): Promise<Measurement[]> {
  const sentAt = new Map<number, number>();
  const delays: number[] = [];
  const stops = await Promise.all(
    Array.from({ length: WATCHERS }, () =>
      served.watch((text, at) => {
        for (const [, mark] of text.matchAll(/"mark":(\d+)/g)) delays.push(at - (sentAt.get(Number(mark)) ?? at));
      }),
    ),
  );
  for (let mark = 1; mark <= CHANGES; mark++) {
    sentAt.set(mark, systemClock.monotonic());
    await served.send("PATCH", `${PATH}/one`, JSON.stringify({ spec: { mark } }));
    await systemClock.sleep(50);
  }
  const deadline = systemClock.monotonic() + 10_000;
  while (delays.length < WATCHERS * CHANGES && systemClock.monotonic() < deadline) await systemClock.sleep(20);
  for (const stop of stops) stop();
  const missed = WATCHERS * CHANGES - delays.length;
  return [
    { metric: `watch, ${WATCHERS} watchers, p99`, value: quantile(delays, 0.99), unit: "ms" },
    { metric: `watch, ${WATCHERS} watchers, missed`, value: missed, unit: "changes", aim: "0" },
  ];
}

export const api: Work = {
  name: "api",
  title: "the API over TLS, client in the same process",
  measure: (bench) =>
    bench.withDatabase(async (url) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-bench-api-"));
      const served = await open(url, folder);
      try {
        const create = (name: string) => served.send("POST", PATH, JSON.stringify({ metadata: { name }, spec: { value: "a" } }));
        await create("one");
        const watched = await fanOut(served);
        const created = await perSecond("create", (index) => create(`made-${index}`));
        const got = await perSecond("get", () => served.send("GET", `${PATH}/one`));
        const listed = await perSecond("list of 500", () => served.send("GET", `${PATH}?limit=500`));
        return [got, listed, created, ...watched];
      } finally {
        await served.close();
        await rm(folder, { recursive: true, force: true });
      }
    }),
};
