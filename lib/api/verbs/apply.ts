/** Server-side apply: a manager states the fields it wants, and owns them. */
import { SetpointError } from "@/lib/errors";
import { type Applying, BLANK, conflictTexts, mergeApplied, ownedPart, settleApply } from "@/lib/ownership";
import { admitCreate, admitUpdate, conflictOn } from "@/lib/policies/admission";
import { API_VERSION, FINALIZER, type Json, type JsonObject, nameFault, type Resource } from "@/lib/resource";
import type { Mutation } from "@/lib/store";
import { APPLY_PATCH, readObject } from "../body";
import type { Call } from "../call";
import { claimsOf, entryTime, givenManager, ownedAfter, shapeOfKind, told } from "../ownership";
import { documentOf, presentOne } from "../present";
import { dryRunOf, flag, messageOf, optionsFault } from "../query";
import { answer } from "../shapes";
import { changedParts, mutate } from "./write";

const OWNED_METADATA = ["labels", "annotations", "finalizers", "ownerReferences"];
/** Managers that may stand behind one object. */
const MOST_MANAGERS = 60;
/** An object may be made or leave between two looks. */
const TRIES = 5;

interface Request extends Omit<Applying, "managed"> {
  document: JsonObject;
  force: boolean;
}

/** PATCH application/apply-patch+yaml: 201 when it makes the object, 409 with manager and field when another owns what would change. */
export async function apply(call: Call): Promise<Response> {
  const manager = givenManager(call);
  if (manager === undefined)
    throw optionsFault("PatchOptions", "fieldManager", "FieldValueRequired", "Required value: is required for apply patch");
  const force = flag(call.query, "force");
  const document = await readObject(call, [APPLY_PATCH]);
  checkDocument(call, document);
  const request = {
    document,
    force,
    applied: statedPart(document),
    shape: shapeOfKind(call.kind),
    by: { manager, operation: "Apply" as const },
  };
  for (let attempt = 1; ; attempt++) {
    const exists = nameFault(call.address.name ?? "") === undefined && (await call.dependencies.resources.get(call.key)) !== undefined;
    try {
      const resource = exists ? await applyOver(call, request) : await applyNew(call, request);
      return answer(call, await presentOne(call, resource), exists ? 200 : 201);
    } catch (error) {
      const moved = error instanceof SetpointError && error.causes.length === 0 && error.reason === (exists ? "NotFound" : "AlreadyExists");
      if (!moved || attempt === TRIES) throw told(call, error);
    }
  }
}

function checkDocument(call: Call, { apiVersion, kind, metadata }: JsonObject): void {
  const bad = (message: string) => new SetpointError("BadRequest", message);
  if (apiVersion !== API_VERSION)
    throw bad(`Incorrect version specified in apply patch. Specified patch version: ${words(apiVersion)}, expected: ${API_VERSION}`);
  if (kind === undefined || kind === "") throw bad(`Object 'Kind' is missing: expected ${call.kind.name}`);
  if (isMap(metadata) && metadata.managedFields !== undefined && metadata.managedFields !== null)
    throw bad("metadata.managedFields must be nil");
}

const words = (value: Json | undefined) => (typeof value === "string" ? value.slice(0, 80) : "");

/** What of a configuration can be owned; parts that say nothing are left out. */
function statedPart({ metadata, spec, control }: JsonObject): JsonObject {
  const stated = isMap(metadata) ? Object.entries(metadata).filter(([key, value]) => OWNED_METADATA.includes(key) && !isEmpty(value)) : [];
  return {
    ...(stated.length > 0 ? { metadata: Object.fromEntries(stated) } : {}),
    ...(isMap(spec) && !isEmpty(spec) ? { spec } : {}),
    ...(isMap(control) && !isEmpty(control) ? { control } : {}),
  };
}

const isEmpty = (value: Json) => isMap(value) && Object.keys(value).length === 0;

/** The configuration's own envelope around what came of the merge: what it may not say is admission's to refuse. */
function envelope({ document }: Request, merged: JsonObject): JsonObject {
  const own = isMap(document.metadata) ? Object.entries(document.metadata).filter(([key]) => !OWNED_METADATA.includes(key)) : [];
  const { metadata, ...rest } = document;
  // Metadata that is no map is admission's to refuse as well.
  if (metadata !== undefined && metadata !== null && !isMap(metadata)) return { ...rest, metadata };
  const parts = isMap(merged.metadata) ? merged.metadata : {};
  return {
    ...rest,
    metadata: { ...Object.fromEntries(own), ...parts },
    ...(isWrong(document.spec) ? {} : { spec: merged.spec ?? {} }),
    ...(isWrong(document.control) || merged.control === undefined ? {} : { control: merged.control }),
  };
}

const isWrong = (part: Json | undefined) => part !== undefined && part !== null && !isMap(part);

async function applyOver(call: Call, request: Request): Promise<Resource> {
  const message = messageOf(call.query);
  const context = call.admission(call.address.name ?? "");
  const { resource } = await mutate(call, (current) => {
    const applying: Applying = { ...request, managed: current.metadata.managedFields ?? [] };
    const { metadata, spec, control } = documentOf(current);
    const merged = mergeApplied(livePart({ metadata, spec, control }), applying);
    const { slice: _slice, ...admitted } = admitUpdate(current, withFinalizers(envelope(request, merged), current), context);
    const mutation: Mutation = { ...admitted, message };
    const { conflicts, managed } = settleApply(ownedPart(current), ownedAfter(current, mutation), applying, entryTime(call.now));
    if (conflicts.length > 0 && !request.force) throw conflictError(conflicts);
    if (managed.length > MOST_MANAGERS)
      throw optionsFault(
        "PatchOptions",
        "fieldManager",
        "FieldValueInvalid",
        `Invalid value: ${MOST_MANAGERS} managers own fields already`,
      );
    const detail = {
      changed: changedParts(current, admitted),
      manager: request.by.manager,
      ...(conflicts.length > 0
        ? {
            takenOver: conflictTexts(conflicts)
              .causes.map(({ field }) => field)
              .slice(0, 100),
          }
        : {}),
      ...(message === "" ? {} : { message }),
    };
    return { ...mutation, managedFields: managed, audit: call.audit("apply", call.key, detail) };
  });
  return resource;
}

async function applyNew(call: Call, request: Request): Promise<Resource> {
  call.authorise("create");
  const { document, by } = request;
  if (isMap(document.metadata) && document.metadata.uid)
    throw conflictOn(call.kind, call.address.name ?? "")("the object with the uid in the request no longer exists");
  const applying: Applying = { ...request, managed: [] };
  // Of 1.20 on, a version in a configuration that makes the object says nothing.
  const { metadata, ...rest } = envelope(request, mergeApplied({}, applying));
  const unversioned = isMap(metadata)
    ? Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== "resourceVersion"))
    : metadata;
  const admitted = admitCreate(
    { ...rest, ...(unversioned === undefined ? {} : { metadata: unversioned }) },
    call.admission(call.address.name ?? ""),
  );
  const { slice, labels, annotations, finalizers, ownerReferences, spec, control } = admitted;
  const after = ownedPart({ metadata: { labels, annotations, finalizers, ownerReferences }, spec, control });
  const { managed } = settleApply(BLANK, after, applying, entryTime(call.now));
  const message = messageOf(call.query);
  return await call.dependencies.resources.create(
    {
      ...call.key,
      slice,
      labels,
      annotations,
      finalizers,
      ownerReferences,
      spec,
      control,
      managedFields: managed,
      ...claimsOf(call.kind, call.key, spec),
    },
    call.actor,
    message,
    call.audit("apply", call.key, { manager: by.manager, ...(message === "" ? {} : { message }) }),
    { dryRun: dryRunOf(call) },
  );
}

function conflictError(conflicts: ReturnType<typeof settleApply>["conflicts"]): SetpointError {
  const { message, causes } = conflictTexts(conflicts);
  return new SetpointError("Conflict", message, {
    causes: causes.map((cause) => ({ reason: "FieldManagerConflict", ...cause })),
    about: { group: "", kind: "" },
  });
}

/** The stored parts that a configuration is laid over. */
function livePart({ metadata, spec, control }: { [key: string]: Json | undefined }): JsonObject {
  const owned = isMap(metadata) ? Object.entries(metadata).filter(([key]) => OWNED_METADATA.includes(key)) : [];
  return { metadata: Object.fromEntries(owned), ...(spec === undefined ? {} : { spec }), ...(control === undefined ? {} : { control }) };
}

/** Absent finalizers would mean "as they are". */
function withFinalizers(document: JsonObject, current: Resource): JsonObject {
  const { metadata } = document;
  if (!isMap(metadata) || metadata.finalizers !== undefined || !current.metadata.finalizers?.some((name) => name !== FINALIZER))
    return document;
  return { ...document, metadata: { ...metadata, finalizers: current.metadata.finalizers.filter((name) => name === FINALIZER) } };
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
