/** The OpenAPI v2 document: what kubectl validates and explains with. */
import type { Json, JsonObject } from "@/lib/resource";
import type { AnyKind } from "../call";
import { type Definition, definitions } from "./definitions";
import { type Operation, type Path, paths } from "./operations";

/** Of a schema, what version 2 knows. Alternatives are not described: they accept anything, and the server judges. */
const KNOWN = ["type", "format", "description", "title", "required", "enum"];

const isMap = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

function schemaV2(schema: Json | undefined): JsonObject {
  if (!isMap(schema)) return {};
  if (typeof schema.$ref === "string") return { $ref: `#/definitions/${schema.$ref}` };
  const { properties, items, additionalProperties } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => KNOWN.includes(key) || key.startsWith("x-kubernetes-"))),
    ...(isMap(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, schemaV2(value)])) }
      : {}),
    ...(isMap(additionalProperties) ? { additionalProperties: schemaV2(additionalProperties) } : {}),
    // A list without a schema of its items is no valid document.
    ...(schema.type === "array" ? { items: schemaV2(items) } : {}),
  };
}

export const gvks = (kinds: Definition["kinds"]): Json => kinds.map(({ group, version, kind }) => ({ group, version, kind }));

function operationV2({ id, description, action, kind, consumes, body, answer, query }: Operation): JsonObject {
  const parameters: Json[] = query.map(({ name, type, description: about }) => ({ name, in: "query", type, description: about }));
  if (body) parameters.unshift({ name: "body", in: "body", required: false, schema: { $ref: `#/definitions/${body}` } });
  return {
    description,
    operationId: id,
    consumes,
    produces: ["application/json", "application/yaml"],
    parameters,
    responses: { 200: { description: "OK", schema: { $ref: `#/definitions/${answer}` } }, 401: { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind },
  };
}

/** The parameters that a path itself has. */
export function pathParameters(path: string): { name: string; description: string }[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({ name, description: `The object's ${name}.` }));
}

function pathV2({ path, operations }: Path): [string, JsonObject] {
  const parameters = pathParameters(path).map((parameter) => ({ ...parameter, in: "path", type: "string", required: true }));
  return [
    path,
    {
      ...Object.fromEntries(operations.map((operation) => [operation.method, operationV2(operation)])),
      ...(parameters.length > 0 ? { parameters } : {}),
    },
  ];
}

export interface DocumentV2 {
  swagger: "2.0";
  info: { title: string; version: string };
  paths: Record<string, JsonObject>;
  definitions: Record<string, JsonObject>;
}

export function documentV2(kinds: readonly AnyKind[], version: string): DocumentV2 {
  const described = definitions(kinds).map(({ name, schema, kinds: of }) => [
    name,
    { ...schemaV2(schema), ...(of.length > 0 ? { "x-kubernetes-group-version-kind": gvks(of) } : {}) },
  ]);
  return {
    swagger: "2.0",
    info: { title: "Setpoint", version },
    paths: Object.fromEntries(paths(kinds).map(pathV2)),
    definitions: Object.fromEntries(described),
  };
}
