/** The OpenAPI v3 documents, one per group and version. */
import { GROUP, type Json, type JsonObject, VERSION } from "@/lib/resource";
import type { AnyKind } from "../call";
import { type Definition, definitions } from "./definitions";
import { type Operation, type Path, paths } from "./operations";
import { gvks, pathParameters } from "./v2";

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

function schemaV3(schema: JsonObject): JsonObject {
  // Tools that explain a reference want its description beside it.
  if (typeof schema.$ref === "string") return { allOf: [reference(schema.$ref)], default: {} };
  return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, inV3(inner)]));
}

function inV3(value: Json): Json {
  if (Array.isArray(value)) return value.map(inV3);
  return typeof value === "object" && value !== null ? schemaV3(value) : value;
}

function operationV3({ id, description, action, kind, consumes, body, answer, query }: Operation): JsonObject {
  const parameters = query.map(({ name, type, description: about }) => ({ name, in: "query", description: about, schema: { type } }));
  const content = (types: string[], name: string) => Object.fromEntries(types.map((type) => [type, { schema: reference(name) }]));
  return {
    description,
    operationId: id,
    parameters,
    ...(body ? { requestBody: { content: content(consumes, body) } } : {}),
    responses: {
      200: { description: "OK", content: content(["application/json", "application/yaml"], answer) },
      401: { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind },
  };
}

function pathV3({ path, operations }: Path): [string, JsonObject] {
  const parameters = pathParameters(path).map((parameter) => ({ ...parameter, in: "path", required: true, schema: { type: "string" } }));
  return [
    path,
    {
      ...Object.fromEntries(operations.map((operation) => [operation.method, operationV3(operation)])),
      ...(parameters.length > 0 ? { parameters } : {}),
    },
  ];
}

const partOf = ({ kinds: [first] }: Definition) => (first && first.group === GROUP ? `apis/${GROUP}/${VERSION}` : undefined);

/** One document per part, by the part's name. */
export function documentsV3(kinds: readonly AnyKind[], version: string): Record<string, JsonObject> {
  const all = definitions(kinds);
  const served = paths(kinds);
  return Object.fromEntries(
    [...new Set(served.map(({ part }) => part))].map((part) => {
      const schemas = all
        // What is of one group only is not repeated in the others.
        .filter((definition) => (partOf(definition) ?? part) === part)
        .map(({ name, schema, kinds: of }) => {
          const group: JsonObject = of.length > 0 ? { "x-kubernetes-group-version-kind": gvks(of) } : {};
          return [name, { ...schemaV3(schema), ...group }] as const;
        });
      const document: JsonObject = {
        openapi: "3.0.0",
        info: { title: "Setpoint", version },
        paths: Object.fromEntries(served.filter((path) => path.part === part).map(pathV3)),
        components: { schemas: Object.fromEntries(schemas) },
      };
      return [part, document];
    }),
  );
}
