import { SetpointError } from "@/lib/errors";
import { deepEqual, type Key, keyOf, keyText, matchesLabels, type Resource } from "@/lib/resource";
import type { Actor, AuditEntry, Change, Claim, ListQuery, ListResult, Mutation, NewResource, ResourceStore, WriteOptions } from "..";
import { ClaimTaken } from "../claims";
import { refuseTooOld } from "../feed";
import type { Logged, Tables } from "./tables";

export function resourceStore(tables: Tables): ResourceStore {
  return {
    get: async (key) => tables.byKey(key)?.resource,
    getByUid: async (uid) => tables.rows.get(uid)?.resource,
    list: async (query) => list(tables, query),
    create: async (input, by, message, audit, options) => dryOrNot(tables, options, () => create(tables, input, by, message, audit)),
    mutate: async (key, by, decide, options) => dryOrNot(tables, options, () => mutate(tables, key, by, decide, options)),
    findBySpecValue: async (namespace, kind, path, value) =>
      [...tables.rows.values()]
        .filter(({ resource }) => resource.kind === kind && resource.metadata.namespace === namespace && valueAt(resource, path) === value)
        .sort((a, b) => b.id - a.id)
        .slice(0, 10)
        .map(({ resource }) => resource),
    currentRevision: async () => String(tables.current),
    oldestRevision: async () => tables.changes[0]?.resourceVersion ?? "0",
    changesAfter: async (revision, limit) => after(tables, revision).slice(0, limit).map(asChange),
  };
}

function dryOrNot<T>(tables: Tables, options: WriteOptions | undefined, work: () => T): T {
  return options?.dryRun ? tables.undone(work) : work();
}

function create(tables: Tables, input: NewResource, by: Actor, message: string, audit: AuditEntry): Resource {
  const { kind, namespace, name, slice, labels, annotations, finalizers, ownerReferences, spec, control, managedFields, claims } = input;
  if (tables.uids.has(keyText(input)))
    throw new SetpointError("AlreadyExists", `${kind} "${name}" already exists in namespace "${namespace}"`);
  refuseTaken(tables, claims ?? []);
  const metadata = { name, namespace, uid: tables.newUid(), resourceVersion: "", generation: 1, creationTimestamp: tables.iso };
  const resource = tables.insert(
    { kind, metadata: { ...metadata, labels, annotations, finalizers, ownerReferences, managedFields }, spec, control },
    slice,
  );
  tables.addRevision(resource, message, by.name);
  const { uid, generation } = resource.metadata;
  if (claims && claims.length > 0) tables.claims.set(uid, claims);
  tables.addAudit({ ...audit, kind, namespace, name, uid, generation });
  return resource;
}

function mutate(
  tables: Tables,
  key: Key,
  by: Actor,
  decide: (current: Resource) => Mutation,
  { dryRun = false }: WriteOptions = {},
): { resource: Resource; changed: boolean; removed: boolean } {
  const current = tables.byKey(key)?.resource;
  if (!current) throw new SetpointError("NotFound", `${key.kind} "${key.name}" not found in namespace "${key.namespace}"`);
  const mutation = decide(structuredClone(current));
  const { uid } = current.metadata;
  refuseTaken(tables, mutation.claims ?? [], uid);
  const result = write(tables, current, mutation, by);
  if (mutation.claims && !result.removed) tables.claims.set(uid, mutation.claims);
  if (mutation.audit) tables.addAudit({ ...mutation.audit, uid, generation: result.resource.metadata.generation });
  if (!dryRun) return result;
  // What was tried and not stored has no version of its own.
  const { metadata } = result.resource;
  return { ...result, resource: { ...result.resource, metadata: { ...metadata, resourceVersion: current.metadata.resourceVersion } } };
}

/** Throws when another holds one of the claims; one that this object waits for already is no news. */
function refuseTaken(tables: Tables, claims: readonly Claim[], uid?: string): void {
  const known = new Set((uid === undefined ? [] : (tables.claims.get(uid) ?? [])).map(({ text }) => text));
  const taken = claims.flatMap((claim) => {
    const holder = known.has(claim.text) ? undefined : tables.holderOf(claim.text);
    return holder ? [{ ...claim, holder: keyOf(holder) }] : [];
  });
  if (taken.length > 0) throw new ClaimTaken(taken);
}

function write(tables: Tables, current: Resource, mutation: Mutation, by: Actor) {
  const { metadata } = current;
  const asks = mutation.deletion === true && metadata.deletionTimestamp === undefined;
  const next: Resource = {
    ...current,
    spec: mutation.spec ?? current.spec,
    control: mutation.control ?? current.control,
    metadata: {
      ...metadata,
      labels: mutation.labels ?? metadata.labels ?? {},
      annotations: mutation.annotations ?? metadata.annotations ?? {},
      finalizers: mutation.finalizers ?? metadata.finalizers ?? [],
      ownerReferences: mutation.ownerReferences ?? metadata.ownerReferences ?? [],
      managedFields: mutation.managedFields ?? metadata.managedFields ?? [],
      ...(asks ? { deletionTimestamp: tables.iso } : {}),
    },
  };
  const resource = tables.update(metadata.uid, next);
  const changed = resource !== current;
  if (!deepEqual(current.spec, resource.spec)) tables.addRevision(resource, mutation.message ?? "", by.name);
  const removed = changed && resource.metadata.deletionTimestamp !== undefined && !resource.metadata.finalizers;
  if (removed) tables.remove(metadata.uid);
  return { resource, changed, removed };
}

/** The feed after a revision. Revisions grow along it: the first one wanted is found from the end, where readers are. */
export function after({ changes }: Tables, revision: string): Logged[] {
  let start = changes.length;
  while (start > 0 && Number(changes[start - 1]?.resourceVersion) > Number(revision)) start -= 1;
  if (start === 0 && changes[0]) refuseTooOld(revision, changes[0].resourceVersion);
  return changes.slice(start);
}

export function asChange({ at: _at, wakes: _wakes, ...change }: Logged): Change {
  return change;
}

function list(tables: Tables, { kind, namespace, labels = [], fields = [], limit, after: start }: ListQuery): ListResult {
  const wanted = fields.map(({ path, operator, value }) => ({ read: fieldReader(path), operator, value }));
  const matching = [...tables.rows.values()]
    .map(({ resource }) => resource)
    .filter(({ kind: k, metadata }) => k === kind && (namespace === undefined || metadata.namespace === namespace))
    .filter(({ metadata }) => matchesLabels(metadata.labels, labels))
    .filter((resource) => wanted.every(({ read, operator, value }) => (read(resource) === value) === (operator === "=")))
    .sort((a, b) => compare(positionOf(a), positionOf(b)))
    .filter((resource) => start === undefined || compare(positionOf(resource), [start.namespace, start.name]) > 0);
  const items = limit === undefined ? matching : matching.slice(0, limit);
  const last = items.at(-1);
  const more = items.length < matching.length;
  return {
    items,
    resourceVersion: String(tables.current),
    ...(more && last
      ? { next: { namespace: last.metadata.namespace, name: last.metadata.name }, remaining: matching.length - items.length }
      : {}),
  };
}

const positionOf = ({ metadata }: Resource) => [metadata.namespace, metadata.name];

function compare(a: string[], b: string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? "";
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function fieldReader(path: string): (resource: Resource) => string | undefined {
  switch (path) {
    case "metadata.name":
      return ({ metadata }) => metadata.name;
    case "metadata.namespace":
      return ({ metadata }) => metadata.namespace;
    case "status.state":
      return ({ status }) => status?.state ?? "Progressing";
    case "control.mode":
      return ({ control }) => control.mode;
    default:
      throw new SetpointError("BadRequest", `field label not supported: ${path}`);
  }
}

function valueAt(resource: Resource, path: string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? Object.entries(at).find(([name]) => name === key)?.[1] : undefined),
    resource.spec,
  );
}
