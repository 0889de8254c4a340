/** Which operations there are on which paths, for both OpenAPI documents. */
import { GROUP, VERSION } from "@/lib/resource";
import { APPLY_PATCH, JSON_PATCH, JSON_TYPE, MERGE_PATCH, YAML_TYPE } from "../body";
import type { AnyKind } from "../call";
import { CORE, type GroupVersionKind, META, OURS, SCALE_NAME } from "./definitions";

export interface Operation {
  method: "get" | "put" | "post" | "delete" | "patch";
  id: string;
  description: string;
  /** What clients recognise operations by. */
  action: string;
  kind: GroupVersionKind;
  consumes: string[];
  /** Definition of the body; absent: there is none. */
  body?: string;
  /** Definition of the answer. */
  answer: string;
  query: Parameter[];
}

export interface Parameter {
  name: string;
  type: "string" | "integer" | "boolean";
  description: string;
}

export interface Path {
  /** In which part of the OpenAPI v3 document it is, e.g. `apis/setpoint.dev/v1alpha1`. */
  part: string;
  path: string;
  operations: Operation[];
}

const parameter = (name: string, type: Parameter["type"], description: string): Parameter => ({ name, type, description });

const SELECTING = [
  parameter("labelSelector", "string", "Only objects with these labels."),
  parameter("fieldSelector", "string", "Only objects with these fields."),
];
const LISTING = [
  ...SELECTING,
  parameter("limit", "integer", "At most so many; `continue` of the answer leads on."),
  parameter("continue", "string", "The token that the page before gave."),
  parameter("resourceVersion", "string", "At least as new as this; for a watch: go on from here."),
  parameter("resourceVersionMatch", "string", "How resourceVersion is meant."),
  parameter("watch", "boolean", "Stream changes instead of listing."),
  parameter("allowWatchBookmarks", "boolean", "Send how far the stream has come from time to time."),
  parameter("sendInitialEvents", "boolean", "Begin a watch with what is there."),
  parameter("timeoutSeconds", "integer", "End a watch after so long."),
];
const DRY_RUN = parameter("dryRun", "string", "All: check everything, store nothing.");
const WRITING = [
  DRY_RUN,
  parameter("fieldManager", "string", "Who sets the fields."),
  parameter("fieldValidation", "string", "Unknown fields are always refused: Strict."),
  parameter("message", "string", "What goes into the history with a new revision."),
];
const FORCE = parameter("force", "boolean", "Take over fields that others own.");

const WHOLE = [JSON_TYPE, YAML_TYPE];
const PATCHES = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];

interface Subject {
  kind: GroupVersionKind;
  definition: string;
  word: string;
}

function operation(subject: Subject, method: Operation["method"], action: string, more: Partial<Operation> = {}): Operation {
  return {
    method,
    action,
    id: `${action}${subject.word}`,
    description: `${action} ${subject.kind.kind}`,
    kind: subject.kind,
    consumes: WHOLE,
    answer: subject.definition,
    query: [],
    ...more,
  };
}

function collectionOf(subject: Subject): Operation[] {
  const listed = { answer: `${subject.definition}List`, query: LISTING };
  return [
    operation(subject, "get", "list", listed),
    operation(subject, "post", "post", { body: subject.definition, query: WRITING }),
    operation(subject, "delete", "deletecollection", { body: META("DeleteOptions"), query: [...LISTING, DRY_RUN] }),
  ];
}

function writable(subject: Subject): Operation[] {
  return [
    operation(subject, "get", "get"),
    operation(subject, "put", "put", { body: subject.definition, query: WRITING }),
    operation(subject, "patch", "patch", { body: subject.definition, consumes: PATCHES, query: [...WRITING, FORCE] }),
  ];
}

function kindPaths(kind: AnyKind): Path[] {
  const part = `apis/${GROUP}/${VERSION}`;
  const subject = (word: string): Subject => ({
    kind: { group: GROUP, version: VERSION, kind: kind.name },
    definition: OURS(kind.name),
    word,
  });
  const collection = `/${part}/namespaces/{namespace}/${kind.plural}`;
  const item = `${collection}/{name}`;
  const scale: Subject = {
    kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    definition: SCALE_NAME,
    word: `Namespaced${kind.name}Scale`,
  };
  const named = subject(`Namespaced${kind.name}`);
  return [
    {
      part,
      path: `/${part}/${kind.plural}`,
      operations: [operation(subject(`${kind.name}ForAllNamespaces`), "get", "list", { answer: OURS(`${kind.name}List`), query: LISTING })],
    },
    { part, path: collection, operations: collectionOf(named) },
    {
      part,
      path: item,
      operations: [...writable(named), operation(named, "delete", "delete", { body: META("DeleteOptions"), query: [DRY_RUN] })],
    },
    { part, path: `${item}/status`, operations: [operation(subject(`Namespaced${kind.name}Status`), "get", "get")] },
    ...(kind.scale ? [{ part, path: `${item}/scale`, operations: writable(scale) }] : []),
  ];
}

function corePaths(kind: string, collection: string): Path[] {
  const subject: Subject = { kind: { group: "", version: "v1", kind }, definition: CORE(kind), word: kind };
  return [
    { part: "api/v1", path: collection, operations: [operation(subject, "get", "list", { answer: CORE(`${kind}List`), query: LISTING })] },
    { part: "api/v1", path: `${collection}/{name}`, operations: [operation(subject, "get", "get")] },
  ];
}

/** All paths for these kinds. */
export function paths(kinds: readonly AnyKind[]): Path[] {
  return [
    ...kinds.flatMap(kindPaths),
    ...corePaths("Namespace", "/api/v1/namespaces"),
    ...corePaths("Event", "/api/v1/namespaces/{namespace}/events"),
  ];
}
