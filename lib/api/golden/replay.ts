/** The recorded requests sent again, with what the other server gave out replaced by what this one does. */
import type { Fixture } from "../testing/fixture";

export interface Recorded {
  name: string;
  request: { method: string; path: string; contentType?: string; accept?: string; body?: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: answers of another server are looked into as they are.
  response: { code: number; contentType: string; body: any };
}

/** What is compared of an answer. */
export interface Compared {
  code: number;
  reason?: string;
  details?: unknown;
  shape: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into as they are.
type Body = any;

/** Names that one server made up and the other has to be asked by. */
export class Translation {
  private readonly pairs = new Map<string, string>();

  learn(theirs: Body, ours: Body): void {
    for (const field of ["uid", "resourceVersion", "continue"]) this.pair(theirs?.metadata?.[field], ours?.metadata?.[field]);
    if (theirs?.metadata?.generateName) this.pair(theirs.metadata.name, ours?.metadata?.name);
    for (const [index, item] of (Array.isArray(theirs?.items) ? theirs.items : []).entries()) this.learn(item, ours?.items?.[index]);
  }

  private pair(theirs: unknown, ours: unknown): void {
    if (typeof theirs === "string" && typeof ours === "string" && theirs !== "") this.pairs.set(theirs, ours);
  }

  /** Of a path: continue tokens and versions. */
  path(path: string): string {
    return path.replace(/((?:continue|resourceVersion)=)([^&]+)/g, (_all, name, value) => `${name}${this.pairs.get(value) ?? value}`);
  }

  /** Of a body: metadata only. */
  body(body: Body): Body {
    if (typeof body !== "object" || body === null || Array.isArray(body) || !body.metadata) return body;
    const metadata = { ...body.metadata };
    for (const field of ["uid", "resourceVersion"]) metadata[field] = this.pairs.get(metadata[field]) ?? metadata[field];
    return { ...body, metadata };
  }
}

export async function send(fixture: Fixture, { name, request }: Recorded, translation: Translation) {
  const headers: Record<string, string> = {
    ...(request.accept ? { accept: request.accept } : {}),
    ...(request.contentType ? { "content-type": request.contentType } : {}),
  };
  const token = name === "no token" ? null : name === "bad token" ? "not-a-token-of-this-server" : undefined;
  const options = { headers, ...(token === undefined ? {} : { token }) };
  const answer = await fixture.call(request.method, translation.path(request.path), translation.body(request.body), options);
  const body = answer.body ?? answer.text;
  return { code: answer.status, contentType: answer.headers.get("content-type") ?? "", body };
}

/** Frames of a watch, or the body itself. */
function parsed(body: Body): Body {
  if (typeof body !== "string" || !body.startsWith('{"type":')) return typeof body === "object" && body?.type ? [body] : body;
  return body
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Of an answer what a client acts on: code, reason, details without what is made up, and the shape of what came. */
export function compared({ code, body }: { code: number; body: Body }): Compared {
  if (body?.kind !== "Status") return { code, shape: shapeOf(parsed(body)) };
  const { uid: _uid, retryAfterSeconds: _retry, causes, ...details } = body.details ?? {};
  // The other server found faults of a scaled field twice: by its schema, and by the path that scaling uses.
  const named = (causes ?? []).map(
    ({ reason, field = "" }: { reason: string; field?: string }) => `${reason} ${field.replace(/^\.(?=spec\.replicas)/, "")}`,
  );
  return {
    code,
    ...(body.reason ? { reason: body.reason } : {}),
    details: { ...details, ...(named.length > 0 ? { causes: [...new Set(named)].sort() } : {}) },
    shape: `Status ${body.status}`,
  };
}

const sorted = (value: Body) => (value ? Object.keys(value).sort() : undefined);

function shapeOf(body: Body): unknown {
  if (Array.isArray(body)) return body.map(({ type, object }) => [type, shapeOf(object)]);
  if (typeof body === "string") return body.startsWith("apiVersion:") ? "YAML" : body.trim();
  if (body?.kind === "Status") return [body.code, body.reason];
  if (body?.kind === "Table") {
    const cells = body.rows.map(({ cells: [name], object }: Body) => [
      /^g-/.test(name) ? "g-" : name,
      object === null ? null : object.kind,
    ]);
    return {
      kind: body.kind,
      apiVersion: body.apiVersion,
      columns: columnsOf(body.columnDefinitions),
      rows: cells,
      metadata: sorted(body.metadata),
    };
  }
  if (Array.isArray(body?.items)) {
    const { continue: token, ...metadata } = body.metadata;
    const listed = { ...metadata, ...(token ? { continue: token } : {}) };
    return {
      kind: body.kind,
      apiVersion: body.apiVersion,
      metadata: sorted(listed),
      items: body.items.map((item: Body) => item.metadata.labels ?? {}),
    };
  }
  if (body?.metadata && body.kind !== "APIResourceList") {
    const { generation, labels, finalizers: all, deletionTimestamp, deletionGracePeriodSeconds } = body.metadata;
    const { mode: _mode, ...spec } = body.spec ?? {};
    // Everything here carries the engine's finalizer until nothing of it is outside.
    const others = (all ?? []).filter((finalizer: string) => finalizer !== "setpoint.dev/cleanup");
    const finalizers = others.length > 0 ? others : undefined;
    return {
      kind: body.kind,
      apiVersion: body.apiVersion,
      generation,
      labels,
      finalizers,
      deleting: [!!deletionTimestamp, deletionGracePeriodSeconds],
      spec,
    };
  }
  return sorted(body);
}

const OURS = new Set(["State", "Reason", "Next attempt"]);

/** Our tables have more columns; the ones that both have must be the same. */
function columnsOf(columns: Body): unknown {
  return columns?.map(({ name, format }: Body) => `${name} ${format}`.trim()).filter((column: string) => !OURS.has(column));
}
