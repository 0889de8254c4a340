/** Whose the fields of an object are, on every way that writes it. */
import { z } from "zod";
import { toIso } from "@/lib/clock";
import { objectShape, ownedPart, type Shape, shapeOf, trackUpdate } from "@/lib/ownership";
import { deepEqual, type JsonObject, type Key, type ManagedFields, type Resource } from "@/lib/resource";
import type { Claim, Mutation } from "@/lib/store";
import { ClaimTaken } from "@/lib/store/claims";
import type { AnyKind, Call } from "./call";
import { one, optionsFault, optionsOf } from "./query";

const LONGEST_MANAGER = 128;
/** Who changes something on a page, unless the page says more. */
const CONSOLE = "setpoint-console";

/** `fieldManager`, as far as it is given. Throws Invalid. */
export function givenManager(call: Pick<Call, "query" | "request">): string | undefined {
  const manager = one(call.query, "fieldManager");
  if (manager === undefined) return undefined;
  const options = optionsOf(call);
  if (Buffer.byteLength(manager) > LONGEST_MANAGER)
    throw optionsFault(options, "fieldManager", "FieldValueInvalid", `Too long: may not be longer than ${LONGEST_MANAGER}`);
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(manager))
    throw optionsFault(options, "fieldManager", "FieldValueInvalid", "Invalid value: should only contain printable characters");
  return manager;
}

/** Who writes: `fieldManager`, else the program's name as its User-Agent begins. */
export function managerOf(call: Pick<Call, "query" | "request" | "principal">): string {
  const given = givenManager(call);
  if (given !== undefined) return given;
  if (call.principal.via === "session") return CONSOLE;
  const [program = ""] = (call.request.headers.get("user-agent") ?? "").split("/");
  return program.replace(/[^\x20-\x7e]/g, "").slice(0, LONGEST_MANAGER) || "unknown";
}

const shapes = new WeakMap<AnyKind, Shape>();

/** How objects of a kind merge. */
export function shapeOfKind(kind: AnyKind): Shape {
  const known = shapes.get(kind);
  if (known) return known;
  // What it gives is JSON by its standard.
  const schema: JsonObject = JSON.parse(JSON.stringify(z.toJSONSchema(kind.schema, { io: "input", unrepresentable: "any" })));
  const shape = objectShape(shapeOf(schema));
  shapes.set(kind, shape);
  return shape;
}

/** The moment of a change, as entries have it: whole seconds. */
export const entryTime = (now: number): string => toIso(now).replace(/\.\d+Z$/, "Z");

/** The object as it will be after a mutation, as far as fields can be owned. */
export function ownedAfter(current: Resource, { spec, control, ...metadata }: Mutation): JsonObject {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const changed = Object.fromEntries(
    Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(([, value]) => value !== undefined),
  );
  return ownedPart({
    metadata: { ...current.metadata, ...changed },
    spec: spec ?? current.spec,
    control: control ?? current.control,
  });
}

/** The mutation with what it means for ownership: what it changes belongs to who writes. */
export function tracked(call: Call, kind: AnyKind, current: Resource, mutation: Mutation, subresource?: string): Mutation {
  const managed = trackedFields(call, kind, ownedPart(current), ownedAfter(current, mutation), current.metadata.managedFields, subresource);
  const claims = mutation.spec === undefined ? {} : claimsOf(kind, current.metadata, mutation.spec);
  return { managedFields: managed, ...claims, ...mutation };
}

/**
 * Whether a document asks that every field be nobody's: by one entry that is empty, as Kubernetes has it. An empty list asks for nothing, so
 * that clients that do not know the field take nothing away.
 */
export function resetsOwners({ metadata }: JsonObject): boolean {
  const { managedFields } = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  return Array.isArray(managedFields) && deepEqual(managedFields, [{}]);
}

/** Nobody owns anything, but who writes what it changes now. */
export function ownersFromNow(call: Call, current: Resource, mutation: Mutation): ManagedFields[] {
  return trackedFields(call, call.kind, ownedPart(current), ownedAfter(current, mutation));
}

/** What an object claims of the outside, once it has this spec. */
export function claimsOf(kind: AnyKind, { namespace, name }: Pick<Key, "namespace" | "name">, spec: JsonObject): { claims?: Claim[] } {
  return kind.claims ? { claims: kind.claims({ namespace, name, spec }) } : {};
}

/** A refusal as this caller may hear it: of an object that it may not read it learns nothing. */
export function told(call: Call, error: unknown): unknown {
  return error instanceof ClaimTaken ? error.toldTo(({ kind, namespace }) => call.may("get", kind, namespace)) : error;
}

/** The entries after an update. */
export function trackedFields(
  call: Call,
  kind: AnyKind,
  before: JsonObject,
  after: JsonObject,
  managed: readonly ManagedFields[] = [],
  subresource?: string,
): ManagedFields[] {
  const by = { manager: managerOf(call), operation: "Update" as const, ...(subresource === undefined ? {} : { subresource }) };
  return trackUpdate(before, after, { shape: shapeOfKind(kind), by, managed }, entryTime(call.now));
}
