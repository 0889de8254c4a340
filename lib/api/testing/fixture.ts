/** A whole API over a real PostgreSQL database, with kinds of its own; for tests only. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { createAuth, sealSession, sessionSecret } from "@/lib/auth";
import { systemClock } from "@/lib/clock";
import { openTestStore } from "@/lib/conformance/store";
import type { Freshness, JsonObject } from "@/lib/resource";
import { createSealer } from "@/lib/secrets";
import type { Store } from "@/lib/store/prisma";
import { type AnyKind, type Api, type ApiEngine, type Cluster, createApi } from "..";

export const TOKEN = "bootstrap-token-of-the-tests";
export const BASE = "http://setpoint.test";
export const WIDGETS = "/apis/setpoint.dev/v1alpha1/namespaces/default/widgets";
export const VAULTS = "/apis/setpoint.dev/v1alpha1/namespaces/default/vaults";
export const USERS_OF_VAULTS = "/apis/setpoint.dev/v1alpha1/namespaces/default/lockers";

const widget: AnyKind = {
  name: "Widget",
  plural: "widgets",
  singular: "widget",
  description: "A thing with a size.",
  schema: z.strictObject({
    size: z.int().min(0).max(100),
    colour: z.enum(["red", "green"]).default("red"),
    template: z.strictObject({ command: z.array(z.string()), env: z.record(z.string(), z.string()).optional() }).optional(),
    fixed: z.string().optional(),
    port: z.int().optional(),
    host: z.string().optional(),
  }) as unknown as AnyKind["schema"],
  columns: [{ name: "Size", path: "spec.size" }],
  example: { size: 1 },
  hostBound: true,
  immutable: ["fixed"],
  claims: ({ spec }) => (spec.port === undefined ? [] : [{ text: `port:${spec.host}:${spec.port}`, field: "spec.port" }]),
  check: (spec) => (spec.size === 13 ? [{ field: "size", message: "must not be 13" }] : []),
};
const vault: AnyKind = {
  name: "Vault",
  plural: "vaults",
  singular: "vault",
  description: "Values that are not shown.",
  schema: z.strictObject({ values: z.record(z.string(), z.string().max(100)) }) as unknown as AnyKind["schema"],
  columns: [],
  example: { values: { a: "b" } },
  secretFields: ["values.*"],
};
const locker: AnyKind = {
  name: "Locker",
  plural: "lockers",
  singular: "locker",
  description: "Needs a vault.",
  schema: z.strictObject({ from: z.strictObject({ vault: z.string() }) }) as unknown as AnyKind["schema"],
  columns: [],
  example: { from: { vault: "a" } },
  references: (spec) => {
    const { from } = spec as { from: { vault: string } };
    return [{ kind: "Vault", name: from.vault, field: "spec.from.vault" }];
  },
};

export const KINDS = [widget, vault, locker];

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back.
  body: any;
  text: string;
}

const SIGNED_IN = { actor: "test", verb: "sign-in", kind: "User", namespace: "", outcome: "done" } as const;

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

export async function openFixture(given?: Store, kinds: AnyKind[] = KINDS) {
  const store = given ?? (await openTestStore());
  const key = randomBytes(32);
  const fresh: Freshness = { observedAt: "2026-01-01T00:00:00.000Z", stale: false };
  const woken: string[] = [];
  const nothing = { generation: 1, hash: "h", observedAt: null, drift: [], fields: [], actions: [] };
  const engine: ApiEngine = {
    kinds,
    plan: async (resource) => ({ ...nothing, generation: resource.metadata.generation }),
    planCandidate: async (_current, candidate) => ({ ...nothing, generation: candidate.metadata.generation }),
    wake: async (resource) => {
      woken.push(resource.metadata.name);
    },
    freshness: async (resources) => resources.map(() => fresh),
  };
  const logged: string[] = [];
  const served: { cluster?: Cluster } = {};
  const auth = createAuth({
    users: store.users,
    access: store.access,
    history: store.history,
    clock: systemClock,
    encryptionKey: key,
    bootstrapToken: TOKEN,
    log: (message) => logged.push(message),
  });
  const api = createApi({
    resources: store.resources,
    history: store.history,
    console: store.console,
    catalogue: store.catalogue,
    kindPauses: store.engine.kindPauses,
    signal: store.signal,
    engine,
    auth,
    users: auth.users,
    tokens: auth.tokens,
    access: auth.access,
    sealer: createSealer(key),
    clock: systemClock,
    hostName: "here",
    version: "0.0.0",
    cluster: () => served.cluster,
    log: (message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`),
  });
  const call = caller(api);
  return {
    store,
    auth,
    api,
    woken,
    /** Where the API is served over TLS; tests may say so. */
    served,
    /** What every object's freshness is; tests may change it. */
    fresh,
    logged,
    call,
    create: (path: string, name: string, spec: JsonObject, more: JsonObject = {}) =>
      call("POST", path, { metadata: { name }, spec, ...more }),
    async audit(): Promise<{ actor: string; verb: string; name: string; outcome: string }[]> {
      return (await store.pool.query("select actor, verb, name, outcome from audit order by id")).rows;
    },
    /** The cookie of an open session of that account. */
    async cookieOf(userId: string): Promise<string> {
      const id = await store.users.openSession(userId, systemClock.now() + 3_600_000, { ...SIGNED_IN, name: userId });
      return `next-auth.session-token=${await sealSession(id, sessionSecret(key), systemClock)}`;
    },
    async close() {
      api.close();
      await store.close();
    },
  };
}

export interface CallOptions {
  headers?: Record<string, string>;
  token?: string | null;
}

/** Sends one request as JSON with the administrator's token, unless told otherwise. Every answer has its request id. */
function caller(api: Api) {
  return async (method: string, path: string, body?: unknown, { headers = {}, token = TOKEN }: CallOptions = {}): Promise<Answer> => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await api.handle(
      new Request(`${BASE}${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": type }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json" && text !== "";
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
}
