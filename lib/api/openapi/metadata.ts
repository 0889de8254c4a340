/** Schemas of what every object has beside its spec. Clients refuse to write fields that are not described here. */
import type { JsonObject } from "@/lib/resource";

const text = (description: string): JsonObject => ({ type: "string", description });
const whole = (description: string): JsonObject => ({ type: "integer", format: "int64", description });
const flag = (description: string): JsonObject => ({ type: "boolean", description });
const time = (description: string): JsonObject => ({ type: "string", format: "date-time", description });
const texts = (description: string): JsonObject => ({ type: "object", description, additionalProperties: { type: "string" } });
const object = (description: string, properties: JsonObject, required: string[] = []): JsonObject => ({
  type: "object",
  description,
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const listOf = (description: string, items: JsonObject): JsonObject => ({ type: "array", description, items });
/** Any JSON value. */
const anything = (description: string): JsonObject => ({ type: "object", description });

const ownerReference = object(
  "An object that owns this one: this one is deleted when none of its owners is left.",
  {
    apiVersion: text("API version of the owner."),
    kind: text("Kind of the owner."),
    name: text("Name of the owner, in the same namespace."),
    uid: text("UID of the owner: another object of the same name is no owner."),
    controller: flag("Whether this owner manages it. At most one may."),
    blockOwnerDeletion: flag("Whether a foreground deletion of the owner waits for this object."),
  },
  ["apiVersion", "kind", "name", "uid"],
);

const managedFields = object("Which fields one manager set, and how.", {
  manager: text("Who set them."),
  operation: text("Apply or Update."),
  apiVersion: text("Version that the fields are written in."),
  time: time("When they were last set."),
  fieldsType: text("Always FieldsV1."),
  fieldsV1: anything("The fields."),
  subresource: text("Subresource that they were set through."),
});

export const OBJECT_META: JsonObject = object("Who the object is, and what all objects have in common.", {
  name: text("Unique within its namespace and kind. Never changes."),
  generateName: text("Prefix of a name that the server completes, when name is not given."),
  namespace: text("Where the object lives. A namespace exists with the first object in it."),
  uid: text("Unique for ever. Set by the server."),
  resourceVersion: text("Changes with every change. Sent back with a write, it keeps that from undoing somebody else's. Opaque."),
  generation: whole("One more with every change of spec. Set by the server."),
  creationTimestamp: time("When it was created. Set by the server."),
  deletionTimestamp: time("When deletion was asked for. Set by the server."),
  deletionGracePeriodSeconds: whole("Always 0 once deletion was asked for."),
  labels: texts("For selecting. At most 64."),
  annotations: texts("For whatever tools want to keep with the object. At most 256 KiB."),
  finalizers: listOf("Whoever is named here has to do something before the object goes.", { type: "string" }),
  ownerReferences: listOf("Objects that own this one.", ownerReference),
  managedFields: listOf("Who set which field. Kept by the server.", managedFields),
  selfLink: text("Not used."),
});

export const LIST_META: JsonObject = object("How far a list goes.", {
  resourceVersion: text("The list is at least as new; a watch goes on from here."),
  continue: text("Token for the next page."),
  remainingItemCount: whole("How many there are after this page."),
  selfLink: text("Not used."),
});

export const DELETE_OPTIONS: JsonObject = object("How to delete.", {
  apiVersion: text("v1"),
  kind: text("DeleteOptions"),
  preconditions: object("Delete only if this is so.", { uid: text("It has this UID."), resourceVersion: text("It has this version.") }),
  propagationPolicy: text("What becomes of the objects that it owns: Background, Foreground or Orphan."),
  orphanDependents: flag("Deprecated: use propagationPolicy."),
  gracePeriodSeconds: whole("Not used."),
  dryRun: listOf("All: check everything, change nothing.", { type: "string" }),
});

const condition = object("One aspect of the report.", {
  type: text("What it is about, e.g. Ready."),
  status: text("True, False or Unknown."),
  reason: text("Why, in one word."),
  message: text("Why, in a sentence."),
  lastTransitionTime: time("When the status last changed."),
  observedGeneration: whole("The generation it is about."),
});

const nextAttempt = object("When it is tried again, and why.", {
  at: time("When."),
  cause: text("Why."),
  attempt: whole("The number that attempt will have."),
});

export const STATUS: JsonObject = object("The report: what was seen and done. Written by the engine only.", {
  observedGeneration: whole("The generation that was last acted on."),
  conditions: listOf("Ready, Synced, Reachable and the kind's own.", condition),
  attempts: whole("Failed attempts in a row."),
  lastAttemptAt: time("When the newest failed attempt started."),
  nextAttempt,
  wakeOn: text("What ends the wait when no clock does."),
  lastConvergedAt: time("When reality last came to match."),
  lastSeenAt: time("When reality was last seen, while it cannot be."),
  drift: object("What differs.", {
    count: whole("How many fields."),
    paths: listOf("Which.", { type: "string" }),
    since: time("Since when."),
  }),
  plan: anything("The plan that waits while acting is withheld."),
  state: text("Outcome in one word."),
  reason: text("Why it is in that state."),
  message: text("The same in a sentence."),
  observed: anything("The kind's own summary of what it saw."),
});

export const FRESHNESS: JsonObject = object("How old the report is. Computed when read, ignored when written.", {
  observedAt: time("When reality was last looked at."),
  stale: flag("Too long ago to be trusted."),
  message: text("Why."),
});

export const VIEW: JsonObject = object("What lists show. Computed when read, ignored when written.", {
  state: text("The state in one word; paused and stale come first."),
  health: text("How the outside thing is."),
  reason: text("Why it is in that state."),
  message: text("The same in a sentence."),
  notActing: text("What keeps the loop from acting."),
  nextAttemptAt: time("When it is tried again."),
});

export const SCALE: JsonObject = object("How many there should be, and how many there are.", {
  apiVersion: text("autoscaling/v1"),
  kind: text("Scale"),
  metadata: OBJECT_META,
  spec: object("What should be.", { replicas: { type: "integer", format: "int32", description: "How many." } }),
  status: object("What is.", { replicas: { type: "integer", format: "int32", description: "How many." }, selector: text("Not used.") }),
});

export const NAMESPACE: JsonObject = object("A namespace: it exists as long as an object is in it.", {
  apiVersion: text("v1"),
  kind: text("Namespace"),
  metadata: OBJECT_META,
  spec: anything("Not used."),
  status: object("What is.", { phase: text("Always Active.") }),
});

export const EVENT: JsonObject = object("Something that was done or seen for an object; the same again counts up.", {
  apiVersion: text("v1"),
  kind: text("Event"),
  metadata: OBJECT_META,
  involvedObject: object("What it is about.", {
    apiVersion: text("API version."),
    kind: text("Kind."),
    namespace: text("Namespace."),
    name: text("Name."),
    uid: text("UID."),
  }),
  reason: text("What, in one word."),
  message: text("What, in a sentence."),
  type: text("Normal or Warning."),
  count: { type: "integer", format: "int32", description: "How often." },
  firstTimestamp: time("When it was first seen."),
  lastTimestamp: time("When it was last seen."),
  source: anything("Who says so."),
});
