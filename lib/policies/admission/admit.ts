/** From a submitted document to what is stored: every rule at the door, every fault named at once. Pure but for the sealer's nonces. */
import { z } from "zod";
import type { Kind } from "@/lib/controller";
import { sliceOf } from "@/lib/controller";
import { type Cause, SetpointError } from "@/lib/errors";
import { API_VERSION, type Control, deepEqual, GROUP, type Json, type JsonObject, type Resource } from "@/lib/resource";
import { admitControl, type PauseContext } from "./control";
import { causesOf, forbidden, invalid, required, unknownField } from "./faults";
import { withoutSecretCopies } from "./last-applied";
import { type AdmittedMetadata, admitMetadata, checkIdentity, nameCauses, parseMetadata } from "./metadata";
import { openSubmitted, type Sealer, type SealingContext, sealSpec, valueAtPath } from "./secrets";

export type AnyKind = Kind<JsonObject>;

export interface AdmissionContext extends PauseContext {
  kind: AnyKind;
  namespace: string;
  /** As addressed by the URL, or as decided for a new object. */
  name: string;
  sealer: Sealer;
  /** This machine: where kinds that are bound to a machine act unless the spec says otherwise. */
  hostName: string;
  /** Throws unless who asks may have it so: every way that an object is written comes through here. */
  permit?(next: { spec: JsonObject; control: Control }, current: Resource | undefined): void;
}

export interface Admitted extends AdmittedMetadata {
  spec: JsonObject;
  control: Control;
  slice: string;
}

const ENVELOPE = ["apiVersion", "kind", "metadata", "spec", "control", "status", "freshness", "view"];

const jsonObject = z.custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value));

/** The 422 that lists every fault. */
export function invalidObject(kind: string, name: string, causes: Cause[]): SetpointError {
  const texts = causes.map(({ field, message }) => (message.startsWith("unknown field") ? message : `${field}: ${message}`));
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new SetpointError("Invalid", `${kind}.${GROUP} "${name}" is invalid: ${list}`, { causes });
}

export function conflictOn(kind: Pick<AnyKind, "plural">, name: string): (why: string) => SetpointError {
  return (why) => new SetpointError("Conflict", `Operation cannot be fulfilled on ${kind.plural}.${GROUP} "${name}": ${why}`);
}

/** A new object. Throws BadRequest or Invalid. */
export function admitCreate(document: JsonObject, context: AdmissionContext): Admitted {
  const { metadata, causes } = openEnvelope(document, context);
  if (metadata.resourceVersion)
    throw new SetpointError("BadRequest", "metadata.resourceVersion must not be set on an object to be created");
  causes.push(...nameCauses(context.name));
  return finish(document, metadata, undefined, causes, context);
}

/** The whole new state of a stored object. Throws BadRequest, Conflict or Invalid. */
export function admitUpdate(current: Resource, document: JsonObject, context: AdmissionContext): Admitted {
  const { metadata, causes } = openEnvelope(document, context);
  checkIdentity(metadata, context, current.metadata, conflictOn(context.kind, context.name));
  return finish(document, metadata, current, causes, context);
}

function openEnvelope(document: JsonObject, context: AdmissionContext) {
  const { kind, name } = context;
  const apiVersion = document.apiVersion;
  if (apiVersion !== undefined && apiVersion !== API_VERSION)
    throw new SetpointError(
      "BadRequest",
      `the API version in the data (${text(apiVersion)}) does not match the expected API version (${API_VERSION})`,
    );
  if (document.kind !== undefined && document.kind !== kind.name)
    throw new SetpointError("BadRequest", `the kind in the data (${text(document.kind)}) does not match the expected kind (${kind.name})`);
  const causes = Object.keys(document)
    .filter((key) => !ENVELOPE.includes(key))
    .map((key) => unknownField(key, ENVELOPE, ""));
  const parsed = parseMetadata(document.metadata);
  causes.push(...parsed.causes);
  checkIdentity(parsed.metadata, { namespace: context.namespace, name }, undefined, conflictOn(kind, name));
  return { metadata: parsed.metadata, causes };
}

const text = (value: Json) => (typeof value === "string" ? value.slice(0, 80) : typeof value);

function finish(
  document: JsonObject,
  metadata: ReturnType<typeof parseMetadata>["metadata"],
  current: Resource | undefined,
  causes: Cause[],
  context: AdmissionContext,
): Admitted {
  const admitted = admitMetadata(metadata, current?.metadata);
  const control = admitControl(document.control, current?.control, context);
  causes.push(...admitted.causes, ...control.causes);
  const { spec, causes: specCauses } = admitSpec(document.spec, current?.spec, context);
  causes.push(...specCauses);
  if (causes.length > 0) throw invalidObject(context.kind.name, context.name, causes);
  context.permit?.({ spec, control: control.control }, current);
  const annotations = withoutSecretCopies(admitted.admitted.annotations, context.kind);
  return { ...admitted.admitted, annotations, control: control.control, spec, slice: sliceOf(context.kind, spec) };
}

/** The spec as stored: checked by the kind's schema and rules, defaults filled in, secrets sealed. */
export function admitSpec(
  raw: Json | undefined,
  current: JsonObject | undefined,
  { kind, namespace, name, sealer, hostName }: AdmissionContext,
): { spec: JsonObject; causes: Cause[] } {
  if (raw === undefined || raw === null) return { spec: {}, causes: [required("spec")] };
  const given = jsonObject.safeParse(raw);
  if (!given.success) return { spec: {}, causes: [invalid("spec", "must be an object")] };
  const sealing: SealingContext = { patterns: kind.secretFields ?? [], sealer, address: { kind: kind.name, namespace, name }, current };
  const withHost = kind.hostBound && given.data.host === undefined ? { ...given.data, host: current?.host ?? hostName } : given.data;
  const opened = openSubmitted(withHost, sealing);
  if (opened.causes.length > 0) return { spec: {}, causes: opened.causes };
  const parsed = kind.schema.safeParse(opened.spec);
  if (!parsed.success) return { spec: {}, causes: causesOf(parsed.error.issues, kind.schema, opened.spec, "spec") };
  const causes = (kind.check?.(parsed.data) ?? []).map(({ field, message }) => invalid(field === "" ? "spec" : `spec.${field}`, message));
  // What the schema leaves undefined is absent in the store.
  const plain = jsonObject.parse(JSON.parse(JSON.stringify(parsed.data)));
  const sealed = sealSpec(plain, sealing);
  return { spec: sealed, causes: [...causes, ...immutableCauses(kind, current, sealed)] };
}

function immutableCauses(kind: AnyKind, current: JsonObject | undefined, next: JsonObject): Cause[] {
  if (!current) return [];
  const paths = new Set([...(kind.immutable ?? []), ...(kind.hostBound ? ["host"] : [])]);
  return [...paths]
    .filter((path) => !deepEqual(valueAtPath(current, path.split(".")), valueAtPath(next, path.split("."))))
    .map((path) => forbidden(`spec.${path}`, "field is immutable: delete the object and create it again with the new value"));
}
