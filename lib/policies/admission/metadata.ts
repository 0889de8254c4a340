/** Rules of metadata: names, labels, annotations, finalizers, owner references. */
import { z } from "zod";
import { type Cause, SetpointError } from "@/lib/errors";
import {
  FINALIZER,
  FOREGROUND_FINALIZER,
  labelKeyFault,
  labelValueFault,
  type Metadata,
  nameFault,
  ORPHAN_FINALIZER,
} from "@/lib/resource";
import { causesOf, forbidden, invalid, required } from "./faults";

const LIMITS = { labels: 64, annotationBytes: 256 * 1024, finalizers: 20, ownerReferences: 20 };

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const ownerReference = z.strictObject({
  apiVersion: z.string().min(1).max(253),
  kind: z.string().min(1).max(63),
  name: z.string().min(1).max(253),
  uid: z.string().regex(UID, "must be the uid of the owner"),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
});

const textMap = z.record(z.string(), z.string()).nullish();

/** What clients may send; what is the server's own is accepted and ignored, so that an object can be sent back as it was read. */
export const submittedMetadata = z.strictObject({
  name: z.string().optional(),
  generateName: z.string().max(200).optional(),
  namespace: z.string().optional(),
  uid: z.string().nullish(),
  resourceVersion: z.string().nullish(),
  labels: textMap,
  annotations: textMap,
  finalizers: z.array(z.string()).nullish(),
  ownerReferences: z.array(ownerReference).nullish(),
  generation: z.unknown().optional(),
  creationTimestamp: z.unknown().optional(),
  deletionTimestamp: z.unknown().optional(),
  deletionGracePeriodSeconds: z.unknown().optional(),
  managedFields: z.unknown().optional(),
  selfLink: z.unknown().optional(),
});
export type SubmittedMetadata = z.infer<typeof submittedMetadata>;

/** What of metadata is stored. Undefined: keep what is stored. */
export interface AdmittedMetadata {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  finalizers: string[];
  ownerReferences: NonNullable<Metadata["ownerReferences"]>;
}

/** Parses the envelope's metadata. Throws Invalid. */
export function parseMetadata(raw: unknown): { metadata: SubmittedMetadata; causes: Cause[] } {
  const parsed = submittedMetadata.safeParse(raw ?? {});
  if (parsed.success) return { metadata: parsed.data, causes: [] };
  return { metadata: {}, causes: causesOf(parsed.error.issues, submittedMetadata, raw, "metadata") };
}

export function nameCauses(name: string): Cause[] {
  if (name === "") return [required("metadata.name", "name or generateName is required")];
  const fault = nameFault(name);
  return fault === undefined ? [] : [invalid("metadata.name", fault)];
}

/** Rules over labels, annotations, finalizers and owner references, against what is stored. */
export function admitMetadata(
  submitted: SubmittedMetadata,
  current: Metadata | undefined,
): { admitted: AdmittedMetadata; causes: Cause[] } {
  const labels = submitted.labels ?? {};
  const annotations = submitted.annotations ?? {};
  const ownerReferences = submitted.ownerReferences ?? [];
  const { finalizers, causes } = admitFinalizers(submitted.finalizers ?? undefined, current);
  causes.push(...mapCauses("labels", labels, labelValueFault), ...mapCauses("annotations", annotations, () => undefined));
  if (Object.keys(labels).length > LIMITS.labels) causes.push(invalid("metadata.labels", `must have at most ${LIMITS.labels} entries`));
  const bytes = Buffer.byteLength(JSON.stringify(annotations));
  if (bytes > LIMITS.annotationBytes)
    causes.push(invalid("metadata.annotations", `must have at most ${LIMITS.annotationBytes} bytes in all`));
  if (ownerReferences.length > LIMITS.ownerReferences)
    causes.push(invalid("metadata.ownerReferences", `must have at most ${LIMITS.ownerReferences} entries`));
  if (ownerReferences.filter((reference) => reference.controller).length > 1)
    causes.push(invalid("metadata.ownerReferences", "only one reference can have controller set to true"));
  return { admitted: { labels, annotations, finalizers, ownerReferences }, causes };
}

function mapCauses(
  part: "labels" | "annotations",
  map: Record<string, string>,
  valueFault: (value: string) => string | undefined,
): Cause[] {
  return Object.entries(map).flatMap(([key, value]) => {
    const field = `metadata.${part}.${key.slice(0, 120)}`;
    const faults = [labelKeyFault(key), valueFault(value)].filter((fault) => fault !== undefined);
    return faults.map((fault) => invalid(field, fault));
  });
}

/** The two words without a domain are the garbage collector's. */
const qualified = (finalizer: string) => finalizer.includes("/") || finalizer === FOREGROUND_FINALIZER || finalizer === ORPHAN_FINALIZER;

function admitFinalizers(submitted: string[] | undefined, current: Metadata | undefined): { finalizers: string[]; causes: Cause[] } {
  const field = "metadata.finalizers";
  const stored = current?.finalizers ?? [];
  if (submitted === undefined) return { finalizers: current ? stored : [FINALIZER], causes: [] };
  const causes: Cause[] = [];
  const finalizers = [...new Set(submitted)];
  for (const [index, finalizer] of finalizers.entries()) {
    const fault = labelKeyFault(finalizer) ?? (qualified(finalizer) ? undefined : "must be qualified by a domain, like example.org/name");
    if (fault !== undefined) causes.push(invalid(`${field}[${index}]`, fault));
  }
  if (finalizers.length > LIMITS.finalizers) causes.push(invalid(field, `must have at most ${LIMITS.finalizers} entries`));
  if (!current) return { finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER], causes };
  if (stored.includes(FINALIZER) && !finalizers.includes(FINALIZER))
    causes.push(
      forbidden(
        field,
        `${FINALIZER} is removed by the engine once nothing is left outside; to leave what is outside as it is, set control.deletionPolicy to Orphan and delete the object`,
      ),
    );
  if (current.deletionTimestamp !== undefined && finalizers.some((finalizer) => !stored.includes(finalizer)))
    causes.push(forbidden(field, "no new finalizers can be added while the object is being deleted"));
  // Ours is the engine's: a client can neither take it nor bring it back.
  if (!stored.includes(FINALIZER) && finalizers.includes(FINALIZER))
    return { finalizers: finalizers.filter((f) => f !== FINALIZER), causes };
  return { finalizers, causes };
}

/** Identity in the body against the object that is stored or addressed: BadRequest or Conflict. */
export function checkIdentity(
  submitted: SubmittedMetadata,
  address: { namespace: string; name?: string },
  current: Metadata | undefined,
  conflict: (why: string) => SetpointError,
): void {
  if (submitted.namespace !== undefined && submitted.namespace !== "" && submitted.namespace !== address.namespace)
    throw new SetpointError(
      "BadRequest",
      `the namespace of the provided object does not match the namespace sent on the request: "${submitted.namespace.slice(0, 80)}" is not "${address.namespace}"`,
    );
  if (address.name !== undefined && submitted.name !== undefined && submitted.name !== address.name)
    throw new SetpointError(
      "BadRequest",
      `the name of the object (${submitted.name.slice(0, 80)}) does not match the name on the URL (${address.name})`,
    );
  if (!current) return;
  if (submitted.uid && submitted.uid !== current.uid)
    throw conflict(`the uid in the request (${submitted.uid.slice(0, 64)}) is not the uid of the stored object (${current.uid})`);
  if (submitted.resourceVersion && submitted.resourceVersion !== current.resourceVersion)
    throw conflict("the object has been modified; please apply your changes to the latest version and try again");
}
