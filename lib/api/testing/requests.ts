/** Requests that no honest client sends, and such as are right but for one place; for tests only. */
import fc from "fast-check";
import { broken, json, nasty, type Tree, torn } from "./documents";
import { USERS_OF_VAULTS, VAULTS, WIDGETS } from "./fixture";

/** What is put on the wire. */
export interface Sent {
  method: string;
  /** Path and query, encoded. */
  target: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

const GADGETS = WIDGETS.replace("widgets", "gadgets");
const COLLECTIONS = [WIDGETS, VAULTS, USERS_OF_VAULTS, GADGETS];
const PARTS = ["", "/plan", "/reconcile", "/control", "/revisions", "/events", "/passes", "/status", "/scale", "/nothing"];
const CONSOLE = [
  ...["me", "cluster", "kinds", "resources", "overview", "stream", "bulk", "controllers", "users", "setup", "tokens", "serviceaccounts"],
  ...["roles", "bindings", "nothing", "users/x", "tokens/x", "tokens/00000000-0000-4000-8000-000000000000", "roles/viewer", "bindings/x"],
  ...["serviceaccounts/default/x", "serviceaccounts/%00/x", "controllers/Widget/pause", "controllers/widgets/pause", "controllers/x/pause"],
];
const REVIEWS = [
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
  "/apis/authentication.k8s.io/v1/selfsubjectreviews",
];
const ROUTES = [
  ...["/apis", "/api", "/api/v1", "/api/v1/namespaces", "/api/v1/namespaces/default", "/api/v1/namespaces/default/events"],
  ...["/api/v1/namespaces/default/events/a.0000000000000001", "/api/v1/events", "/openapi/v2", "/openapi/v3", "/version", "/livez"],
  ...["/openapi/v3/apis/setpoint.dev/v1alpha1", "/apis/setpoint.dev", "/apis/setpoint.dev/v1alpha1", "/apis/setpoint.dev/v1alpha1/widgets"],
  ...["/apis/setpoint.dev/v2/widgets", "/apis/apps/v1/deployments", "/metrics", "/healthz", "/nothing"],
  "/apis/setpoint.dev/v1alpha1/watch/namespaces/nothing-here/vaults/a",
  "/apis/setpoint.dev/v1alpha1/watch/namespaces/default/widgets",
  ...REVIEWS,
  ...COLLECTIONS,
  ...COLLECTIONS.flatMap((collection) => ["a", "missing"].flatMap((name) => PARTS.map((part) => `${collection}/${name}${part}`))),
  ...CONSOLE.map((page) => `/api/console/${page}`),
];

/** Percent-encoded; halves of surrogate pairs, which no URL can hold, left out. */
export const encoded = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ""));

const manyOf = <T>(item: fc.Arbitrary<T>, most: number) => fc.array(item, { maxLength: most });
const deep = fc.nat(200).map((levels) => `${'{"spec":'.repeat(levels)}1${"}".repeat(levels)}`);

const META = { name: "a", namespace: "default", labels: { app: "a" }, annotations: { note: "b" }, finalizers: ["example.org/hold"] };
const OWNED = { ownerReferences: [{ apiVersion: "setpoint.dev/v1alpha1", kind: "Vault", name: "a", uid: "x", blockOwnerDeletion: true }] };
const CONTROL = { mode: "DryRun", deletionPolicy: "Orphan", adopt: true, paused: { reason: "r", until: "2031-01-01T00:00:00Z" } };
const objectOf = (kind: string, spec: Tree): Tree => ({
  apiVersion: "setpoint.dev/v1alpha1",
  kind,
  metadata: { ...META, ...OWNED },
  spec,
  control: CONTROL,
});
const template = { command: ["x", "y"], env: { A: "b" } };
const OBJECTS = new Map<string, Tree>([
  [WIDGETS, objectOf("Widget", { size: 1, colour: "green", template, port: 1, host: "h" })],
  [GADGETS, objectOf("Gadget", { size: 1, template })],
  [VAULTS, objectOf("Vault", { values: { k: "v", l: "w" } })],
  [USERS_OF_VAULTS, objectOf("Locker", { from: { vault: "a" } })],
]);
const account = { namespace: "default", name: "robot" };
const RULES = [{ verbs: ["get"], kinds: ["widgets"] }];
/** Addresses with what is right to send there. */
const FORMS: [method: string, path: string, body: Tree][] = [
  ["POST", "/api/console/tokens", { name: "t", expiresInDays: 3, limits: { requestsPerMinute: 9, streams: 1 }, serviceAccount: account }],
  ["POST", "/api/console/tokens", { name: "t", scope: { verbs: ["get"], kinds: ["*"], namespaces: ["default"] }, serviceAccount: account }],
  ["POST", "/api/console/serviceaccounts", { ...account, name: "other" }],
  ["POST", "/api/console/roles", { name: "reader", description: "d", rules: RULES }],
  ["POST", "/api/console/bindings", { role: "viewer", namespace: "default", subject: { kind: "User", name: "a@example.org" } }],
  ["POST", "/api/console/bindings", { role: "viewer", namespace: "*", subject: { kind: "Group", name: "g" } }],
  ["POST", "/api/console/bindings", { role: "viewer", namespace: "*", subject: { kind: "ServiceAccount", ...account } }],
  ["POST", "/api/console/users", { email: "a@example.org", name: "a", role: "none", groups: ["g"], password: "short" }],
  ["PATCH", "/api/console/users/x", { role: "viewer", groups: ["g"], disabled: true }],
  ["POST", "/api/console/setup", { token: "x", email: "a@example.org", name: "a", password: "correct horse" }],
  [
    "POST",
    "/api/console/bulk",
    { action: "pause", query: "kind=Widget&q=a", expectedCount: 1, reason: "r", until: "2031-01-01T00:00:00Z" },
  ],
  ["POST", "/api/console/bulk", { action: "reconcile", uids: ["00000000-0000-4000-8000-000000000000"] }],
  ["PUT", "/api/console/controllers/Widget/pause", { reason: "r", until: "2031-01-01T00:00:00Z" }],
  ["POST", REVIEWS[0] ?? "", { spec: { resourceAttributes: { verb: "get", resource: "widgets", namespace: "default", name: "a" } } }],
  ["POST", REVIEWS[0] ?? "", { spec: { nonResourceAttributes: { path: "/version", verb: "get" } } }],
  ["POST", REVIEWS[1] ?? "", { spec: { namespace: "default" } }],
  ["PUT", `${GADGETS}/a/scale`, { kind: "Scale", apiVersion: "autoscaling/v1", metadata: META, spec: { replicas: 3 } }],
  ["PATCH", `${GADGETS}/a/scale`, { spec: { replicas: 3 }, metadata: { resourceVersion: "1" } }],
  ["PATCH", `${WIDGETS}/a/control`, CONTROL],
  ["PUT", `${VAULTS}/a/control`, { paused: null, mode: "Auto" }],
  ["POST", `${WIDGETS}/a/plan`, OBJECTS.get(WIDGETS) ?? null],
  ["DELETE", `${WIDGETS}/missing`, { propagationPolicy: "Foreground", preconditions: { uid: "u", resourceVersion: "1" }, dryRun: ["All"] }],
  ["DELETE", WIDGETS, { kind: "DeleteOptions", gracePeriodSeconds: 0, orphanDependents: true, dryRun: ["All"] }],
];

const TYPES = [
  ...["application/json", "application/yaml", "application/json-patch+json", "application/apply-patch+yaml", "text/plain", ""],
  ...["application/vnd.kubernetes.protobuf", "application/merge-patch+json", "application/json; charset=utf-8"],
  ...["application/strategic-merge-patch+json", "multipart/form-data", "application/apply-patch+cbor"],
];
const types = fc.constantFrom(...TYPES);
const typed = (type: string): Record<string, string> => (type === "" ? {} : { "content-type": type });

const selector = fc.oneof(
  nasty,
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ...["a", "app", "=", "==", "!=", "!", "in", "notin", "(", ")", ",", " ", "x/y", "-a", "metadata.name", "=a", "exists"],
        ),
        nasty,
      ),
      { maxLength: 8 },
    )
    .map((words) => words.join("")),
);
const version = fc.oneof(nasty, fc.constantFrom("0", "1", "999999999999999999", "9999999999999999999", "-1", "0x1", "1.0", "00"));
/** A token as this server makes them, and as it does not. */
const continued = fc.oneof(
  nasty,
  json.value.map((value) => Buffer.from(JSON.stringify(value) ?? "").toString("base64url")),
  fc
    .array(fc.oneof(nasty, fc.constantFrom("v1", "v2", "default", "a")), { minLength: 1, maxLength: 4 })
    .map((parts) => Buffer.from(parts.join("/")).toString("base64url")),
);
const PARAMETERS: Record<string, fc.Arbitrary<string>> = {
  ...Object.fromEntries(
    ["message", "q", "kind", "state", "mode", "label", "sort", "page", "range", "drifted", "before", "namespace"].map((name) => [
      name,
      nasty,
    ]),
  ),
  labelSelector: selector,
  fieldSelector: selector,
  resourceVersion: version,
  continue: continued,
  limit: fc.oneof(nasty, fc.constantFrom("0", "1", "500", "-1", "1e3", "99999999999")),
  timeoutSeconds: fc.oneof(nasty, fc.constantFrom("0", "1", "-1", "99999999999")),
  watch: fc.oneof(nasty, fc.constantFrom("true", "1", "false", "yes")),
  allowWatchBookmarks: fc.constantFrom("true", "false", "maybe"),
  sendInitialEvents: fc.constantFrom("true", "false", "maybe"),
  resourceVersionMatch: fc.constantFrom("Exact", "NotOlderThan", "Newest", ""),
  dryRun: fc.oneof(nasty, fc.constantFrom("All", "None")),
  force: fc.oneof(nasty, fc.constantFrom("true", "false")),
  fieldManager: fc.oneof(nasty, fc.constantFrom("me", "x".repeat(129))),
  fieldValidation: fc.constantFrom("Strict", "Warn", "Ignore", "Other"),
  includeObject: fc.constantFrom("None", "Metadata", "Object", "All"),
  propagationPolicy: fc.constantFrom("Foreground", "Orphan", "Background", "Other"),
};
const parameters = new Map(Object.entries(PARAMETERS));
const parameter = fc.constantFrom(...parameters.keys());
const pair = (names: fc.Arbitrary<string>) =>
  names.chain((name) => (parameters.get(name) ?? nasty).map((value) => `${encoded(name)}=${encoded(value)}`));
const query = manyOf(pair(fc.oneof({ weight: 9, arbitrary: parameter }, { weight: 1, arbitrary: nasty })), 3).map((pairs) =>
  pairs.join("&"),
);
const at = (path: string, search: string) => (search === "" ? path : `${path}?${search}`);

const accept = fc.oneof(
  fc.constantFrom(
    ...["application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=Nothing;v=v1;g=meta.k8s.io", "application/yaml", "*/*"],
    ...["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json", "text/html;q=2", ";;,,=", "*"],
    ...["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"],
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  ),
  fc.string({ unit: "grapheme-ascii", maxLength: 60 }),
);
const headers = fc
  .record(
    {
      accept,
      "user-agent": fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
      "x-request-id": fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
      "content-length": fc.constantFrom("0", "-1", "abc", "99999999999"),
      "if-none-match": fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
      cookie: fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
      origin: fc.constantFrom("http://elsewhere.test", "null", "::"),
      "last-event-id": version.map((text) => encoded(text).slice(0, 100)),
    },
    { requiredKeys: [] },
  )
  .map((all) => Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value.trim()]]))));

const pointer = fc.oneof(
  fc.constantFrom(...["", "/", "/spec", "/spec/size", "/metadata/labels/app", "/metadata/finalizers/-", "/metadata/finalizers/9", "/kind"]),
  fc.constantFrom(
    "/metadata/managedFields",
    "/metadata/managedFields/0",
    "/metadata/uid",
    "/metadata",
    "/spec/~2",
    "/__proto__/x",
    "/status",
  ),
  nasty.map((text) => `/spec/${text}`),
  nasty,
);
const jsonPatch = manyOf(
  fc.record(
    {
      op: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("add", "remove", "replace", "move", "copy", "test") },
        { weight: 1, arbitrary: nasty },
      ),
      path: pointer,
      from: pointer,
      value: json.value,
    },
    { requiredKeys: ["op", "path"] },
  ),
  4,
).map((steps) => JSON.stringify(steps));
const yamlText = fc.oneof(
  nasty.map((text) => `metadata: { name: a }\nspec: &x [*x, ${text}]`),
  fc.constantFrom(
    "a: &a [x]\nb: *a",
    "--- 1\n--- 2",
    "!!js/function x",
    "? [a]\n: b",
    "a: 1\na: 2",
    "- 1",
    "%YAML 3.0\n---\na: 1",
    "\t",
    "a: .nan",
  ),
  nasty.map((text) => `apiVersion: setpoint.dev/v1alpha1\nkind: Widget\nspec: { size: ${text} }`),
  fc.nat(300).map((levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`),
);
const document = fc.oneof(
  json.map.map((value) => JSON.stringify(value)),
  json.value.map((value) => JSON.stringify(value) ?? ""),
  nasty,
  fc
    .tuple(json.value, json.value, json.value)
    .map(([spec, control, labels]) => JSON.stringify({ metadata: { name: "a", labels }, spec, control })),
  fc.tuple(json.value).map(([values]) => JSON.stringify({ spec: { values, size: values } })),
  jsonPatch,
  yamlText,
  deep,
);

/** A message of Kubernetes' protobuf: length-delimited fields with whatever inside, their lengths not always right. */
const protobuf = fc
  .array(fc.tuple(fc.nat(15), fc.nat(5), fc.uint8Array({ maxLength: 30 }), fc.integer({ min: -2, max: 200 })), { maxLength: 5 })
  .map((fields) =>
    Uint8Array.from(
      fields.flatMap(([field, wire, bytes, off]) => [(field << 3) | wire, (bytes.length + Math.min(off, 2)) & 0xff, ...bytes]),
    ),
  );
const enveloped = fc.oneof(
  protobuf.map((inner) => Uint8Array.from([...Buffer.from("k8s\0"), 0x12, inner.length & 0x7f, ...inner])),
  protobuf.map((inner) => Uint8Array.from([...Buffer.from("k8s\0"), ...inner])),
  fc.uint8Array({ maxLength: 60 }),
);

const anything: fc.Arbitrary<Sent> = fc
  .record({
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
    path: fc.constantFrom(...ROUTES),
    query,
    document,
    types,
    headers,
  })
  .map(({ method, path, query, document, types, headers }) => ({
    method,
    target: at(path, query),
    headers: { ...headers, ...typed(types) },
    ...(["GET", "HEAD", "OPTIONS"].includes(method) ? {} : { body: document }),
  }));

const reads: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.constantFrom(
      ...COLLECTIONS,
      "/apis/setpoint.dev/v1alpha1/widgets",
      "/api/v1/events",
      "/api/v1/namespaces",
      `${WIDGETS}/a/revisions`,
      `${WIDGETS}/a/events`,
      "/api/console/resources",
      "/api/console/overview",
      "/api/console/stream",
    ),
    fc.array(pair(parameter), { minLength: 1, maxLength: 4 }),
    headers,
  )
  .map(([path, pairs, given]) => ({ method: "GET", target: at(path, pairs.join("&")), headers: given }));

const collectionOf = fc.constantFrom(...OBJECTS.keys());
const nearlyRight = collectionOf.chain((collection) => {
  const text = broken(OBJECTS.get(collection) ?? null);
  return fc
    .record({
      write: fc.constantFrom<[string, string, string][]>(
        ["POST", "", "application/json"],
        ["POST", "", "application/yaml"],
        ["PUT", "/a", "application/json"],
        ["PATCH", "/a", "application/merge-patch+json"],
        ["PATCH", "/a", "application/apply-patch+yaml"],
        ["PATCH", "/new", "application/apply-patch+yaml"],
        ["POST", "/a/plan", "application/json"],
      ),
      text: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: torn(text) }),
      query,
      applies: fc.constantFrom("fieldManager=m", "fieldManager=m&force=true", ""),
    })
    .map(({ write: [method, below, type], text, query, applies }): Sent => {
      const search = [type.includes("apply") ? applies : "", query].filter((part) => part !== "").join("&");
      return { method, target: at(`${collection}${below}`, search), headers: typed(type), body: text };
    });
});

const jsonPatches: fc.Arbitrary<Sent> = fc.tuple(collectionOf, jsonPatch, query).map(([collection, body, search]) => ({
  method: "PATCH",
  target: at(`${collection}/a`, search),
  headers: typed("application/json-patch+json"),
  body,
}));

const forms: fc.Arbitrary<Sent> = fc.constantFrom(...FORMS).chain(([method, path, body]) =>
  fc.tuple(fc.oneof({ weight: 4, arbitrary: broken(body) }, { weight: 1, arbitrary: torn(broken(body)) }), query).map(([text, search]) => ({
    method,
    target: at(path, search),
    headers: typed("application/json"),
    body: text,
  })),
);

const reviews: fc.Arbitrary<Sent> = fc
  .tuple(fc.constantFrom(...REVIEWS), enveloped)
  .map(([target, body]) => ({ method: "POST", target, headers: typed("application/vnd.kubernetes.protobuf"), body }));

/** Addresses of which a part can be anything. */
const PLACES: ((word: string, other: string) => string)[] = [
  ...["users", "tokens", "roles", "bindings"].map((page) => (word: string) => `/api/console/${page}/${word}`),
  (word, other) => `/api/console/serviceaccounts/${word}/${other}`,
  (word) => `/api/console/controllers/${word}/pause`,
  (word) => `/api/v1/namespaces/default/events/${word}`,
  (word) => `/api/v1/namespaces/${word}`,
  (word) => `/openapi/v3/apis/${word}`,
  (word, other) => `/apis/setpoint.dev/v1alpha1/namespaces/${word}/widgets/${other}`,
  ...PARTS.map((part) => (word: string) => `${WIDGETS}/${word}${part}`),
];
const places: fc.Arbitrary<Sent> = fc
  .tuple(fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"), fc.constantFrom(...PLACES), nasty, nasty, fc.constantFrom(...FORMS))
  .map(([method, place, word, other, [, , body]]) => ({
    method,
    target: place(encoded(word), encoded(other)),
    headers: typed(method === "PATCH" ? "application/merge-patch+json" : "application/json"),
    ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
  }));

/** Every way of being wrong that is known, the fruitful ones more often. */
export const badRequest: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 5, arbitrary: anything },
  { weight: 3, arbitrary: reads },
  { weight: 5, arbitrary: nearlyRight },
  { weight: 2, arbitrary: jsonPatches },
  { weight: 3, arbitrary: forms },
  { weight: 1, arbitrary: reviews },
  { weight: 2, arbitrary: places },
);
