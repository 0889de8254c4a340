/** /openapi: the documents that describe the API, made once from the kinds' schemas. */
import { createHash } from "node:crypto";
import type { AnyKind, Call } from "../call";
import { commonHeaders } from "../respond";
import { notHere, type Route } from "../route";
import { encodeDocument } from "./protobuf";
import { documentV2 } from "./v2";
import { documentsV3 } from "./v3";

interface Rendered {
  body: Uint8Array;
  hash: string;
}

interface Documents {
  v2: Rendered;
  v2Protobuf: Rendered;
  v3: Map<string, Rendered>;
}

const made = new WeakMap<readonly AnyKind[], Documents>();

function rendered(body: Uint8Array): Rendered {
  return { body, hash: createHash("sha256").update(body).digest("hex").slice(0, 32).toUpperCase() };
}

const ofJson = (value: unknown) => rendered(Buffer.from(JSON.stringify(value)));

function documentsOf(call: Call): Documents {
  const { engine, version } = call.dependencies;
  const known = made.get(engine.kinds);
  if (known) return known;
  const v2 = documentV2(engine.kinds, version);
  const documents = {
    v2: ofJson(v2),
    v2Protobuf: rendered(encodeDocument(v2)),
    v3: new Map(Object.entries(documentsV3(engine.kinds, version)).map(([part, document]) => [part, ofJson(document)])),
  };
  made.set(engine.kinds, documents);
  return documents;
}

function send(call: Call, { body, hash }: Rendered, type: string): Response {
  const headers = { ...commonHeaders(call), "content-type": type, etag: `"${hash}"`, vary: "Accept" };
  if (call.request.headers.get("if-none-match")?.includes(hash)) return new Response(null, { status: 304, headers });
  return new Response(call.request.method === "HEAD" ? null : Buffer.from(body), { status: 200, headers });
}

/** kubectl up to the newest asks for protobuf first. Its own name for the type cannot be parsed by its own library: the real servers answer this one. */
const PROTOBUF_TYPE = "application/octet-stream";

async function v2(call: Call): Promise<Response> {
  const documents = documentsOf(call);
  const protobuf = (call.request.headers.get("accept") ?? "").toLowerCase().includes("openapi.spec.v2@v1.0+protobuf");
  return protobuf ? send(call, documents.v2Protobuf, PROTOBUF_TYPE) : send(call, documents.v2, "application/json");
}

/** Which documents of version 3 there are, each with a hash that changes when it does. */
async function v3Index(call: Call): Promise<Response> {
  const parts = [...documentsOf(call).v3].map(([part, { hash }]) => [part, { serverRelativeURL: `/openapi/v3/${part}?hash=${hash}` }]);
  return send(call, ofJson({ paths: Object.fromEntries(parts) }), "application/json");
}

async function v3Part(call: Call): Promise<Response> {
  const document = documentsOf(call).v3.get(call.url.pathname.slice("/openapi/v3/".length));
  if (!document) throw notHere(call.url.pathname);
  return send(call, document, "application/json");
}

export function openApiRoute([version, ...part]: readonly string[], path: string): Route {
  const run = version === "v2" && part.length === 0 ? v2 : version === "v3" ? (part.length === 0 ? v3Index : v3Part) : undefined;
  if (!run) throw notHere(path);
  return { address: { resource: "openapi" }, methods: { GET: { verb: "identified", run, shapes: "any" } } };
}
