/** Every schema of the API, by its name in the OpenAPI documents. */
import { z } from "zod";
import { submittedControl } from "@/lib/policies/admission";
import { GROUP, type Json, type JsonObject, VERSION } from "@/lib/resource";
import type { AnyKind } from "../call";
import { DELETE_OPTIONS, EVENT, FRESHNESS, LIST_META, NAMESPACE, OBJECT_META, SCALE, STATUS, VIEW } from "./metadata";

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

export interface Definition {
  name: string;
  schema: JsonObject;
  kinds: GroupVersionKind[];
}

export const OURS = (kind: string) => `dev.setpoint.${VERSION}.${kind}`;
export const META = (kind: string) => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;
export const CORE = (kind: string) => `io.k8s.api.core.v1.${kind}`;
export const SCALE_NAME = "io.k8s.api.autoscaling.v1.Scale";

/** A reference to another definition; both documents write it in their own way. */
const ref = (name: string): JsonObject => ({ $ref: name });

const schemaOf = (schema: z.ZodType): JsonObject =>
  tidy(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { target: "openapi-3.0", io: "input", unrepresentable: "any" }))));

/** Leaves out what no client of these documents understands. Our objects are strict anyhow: unknown fields are refused at the door. */
function tidy(schema: JsonObject): JsonObject {
  const { $schema: _schema, propertyNames: _names, additionalProperties, ...rest } = schema;
  const kept = Object.entries(rest).map(([key, value]) => [key, key === "properties" ? eachOf(value) : tidied(value)] as const);
  const open: JsonObject = isMap(additionalProperties) ? { additionalProperties: tidy(additionalProperties) } : {};
  return { ...Object.fromEntries(kept), ...open };
}

const isMap = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const tidied = (value: Json): Json => (isMap(value) ? tidy(value) : Array.isArray(value) ? value.map(tidied) : value);
const eachOf = (properties: Json): Json =>
  isMap(properties) ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, tidied(schema)])) : properties;

const APPLIES = {
  apiVersion: { type: "string", description: "Always as the group and version in the URL." },
  kind: { type: "string", description: "The kind of the object." },
};

function kindDefinitions(kind: AnyKind): Definition[] {
  const gvk = (word: string) => [{ group: GROUP, version: VERSION, kind: word }];
  return [
    {
      name: OURS(kind.name),
      kinds: gvk(kind.name),
      schema: {
        type: "object",
        description: kind.description,
        properties: {
          ...APPLIES,
          metadata: ref(META("ObjectMeta")),
          spec: { description: "Intent: what should be.", ...schemaOf(kind.schema) },
          control: { ...schemaOf(submittedControl), description: "The operator's hand on the loop: mode, pause, what deletion does." },
          status: STATUS,
          freshness: FRESHNESS,
          view: VIEW,
        },
        required: ["spec"],
      },
    },
    list(OURS(`${kind.name}List`), gvk(`${kind.name}List`), OURS(kind.name)),
  ];
}

function list(name: string, kinds: GroupVersionKind[], of: string): Definition {
  const items = { type: "array", description: "The objects.", items: ref(of) };
  return {
    name,
    kinds,
    schema: {
      type: "object",
      description: "A list.",
      properties: { ...APPLIES, metadata: ref(META("ListMeta")), items },
      required: ["items"],
    },
  };
}

/** All definitions for these kinds. */
export function definitions(kinds: readonly AnyKind[]): Definition[] {
  const core = (kind: string) => [{ group: "", version: "v1", kind }];
  return [
    ...kinds.flatMap(kindDefinitions),
    { name: META("ObjectMeta"), kinds: [], schema: OBJECT_META },
    { name: META("ListMeta"), kinds: [], schema: LIST_META },
    {
      name: META("DeleteOptions"),
      kinds: [...core("DeleteOptions"), { group: GROUP, version: VERSION, kind: "DeleteOptions" }],
      schema: DELETE_OPTIONS,
    },
    { name: SCALE_NAME, kinds: [{ group: "autoscaling", version: "v1", kind: "Scale" }], schema: SCALE },
    { name: CORE("Namespace"), kinds: core("Namespace"), schema: NAMESPACE },
    list(CORE("NamespaceList"), core("NamespaceList"), CORE("Namespace")),
    { name: CORE("Event"), kinds: core("Event"), schema: EVENT },
    list(CORE("EventList"), core("EventList"), CORE("Event")),
  ];
}
