/**
 * The OpenAPI v2 document as a protobuf message: `openapi.v2.Document` of google/gnostic. Field numbers are those of its public
 * `OpenAPIv2.proto`; only fields that our documents use are here. The wire format is @bufbuild/protobuf's work.
 */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { stringify } from "yaml";
import type { Json, JsonObject } from "@/lib/resource";
import type { DocumentV2 } from "./v2";

const LENGTH_DELIMITED = 2;
const VARINT = 0;

type Write = (writer: BinaryWriter) => void;

function message(writer: BinaryWriter, field: number, write: Write): void {
  writer.tag(field, LENGTH_DELIMITED).fork();
  write(writer);
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: Json | undefined): void {
  if (typeof value === "string") writer.tag(field, LENGTH_DELIMITED).string(value);
}

function texts(writer: BinaryWriter, field: number, values: Json | undefined): void {
  if (Array.isArray(values)) for (const value of values) text(writer, field, value);
}

function flag(writer: BinaryWriter, field: number, value: Json | undefined): void {
  if (value === true) writer.tag(field, VARINT).bool(true);
}

const isMap = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const entries = (value: Json | undefined): [string, Json][] => (isMap(value) ? Object.entries(value) : []);

/** A name with a value: how gnostic writes maps. */
function named(writer: BinaryWriter, field: number, name: string, write: Write): void {
  message(writer, field, (pair) => {
    text(pair, 1, name);
    message(pair, 2, write);
  });
}

/** `x-…` fields, as YAML inside of `Any`. */
function extensions(writer: BinaryWriter, field: number, owner: JsonObject): void {
  for (const [name, value] of entries(owner))
    if (name.startsWith("x-")) named(writer, field, name, (any) => text(any, 2, stringify(value)));
}

function schema(writer: BinaryWriter, value: Json | undefined): void {
  if (!isMap(value)) return;
  text(writer, 1, value.$ref);
  text(writer, 2, value.format);
  text(writer, 3, value.title);
  text(writer, 4, value.description);
  texts(writer, 19, value.required);
  if (Array.isArray(value.enum)) for (const item of value.enum) message(writer, 20, (any) => text(any, 2, stringify(item)));
  if (isMap(value.additionalProperties))
    message(writer, 21, (item) => message(item, 1, (inner) => schema(inner, value.additionalProperties)));
  if (typeof value.type === "string") message(writer, 22, (item) => text(item, 1, value.type));
  if (isMap(value.items)) message(writer, 23, (item) => message(item, 1, (inner) => schema(inner, value.items)));
  if (isMap(value.properties))
    message(writer, 25, (properties) => {
      for (const [name, property] of entries(value.properties)) named(properties, 1, name, (inner) => schema(inner, property));
    });
  extensions(writer, 31, value);
}

function parameter(writer: BinaryWriter, value: Json): void {
  if (!isMap(value)) return;
  message(writer, 1, (either) => {
    if (value.in === "body") return message(either, 1, (body) => bodyParameter(body, value));
    message(either, 2, (other) => message(other, value.in === "query" ? 3 : 4, (simple) => simpleParameter(simple, value)));
  });
}

function bodyParameter(writer: BinaryWriter, value: JsonObject): void {
  text(writer, 1, value.description);
  text(writer, 2, value.name);
  text(writer, 3, value.in);
  flag(writer, 4, value.required);
  message(writer, 5, (inner) => schema(inner, value.schema));
}

function simpleParameter(writer: BinaryWriter, value: JsonObject): void {
  flag(writer, 1, value.required);
  text(writer, 2, value.in);
  text(writer, 3, value.description);
  text(writer, 4, value.name);
  // Parameters of a path have no `allowEmptyValue` before their type.
  text(writer, value.in === "query" ? 6 : 5, value.type);
}

function operation(writer: BinaryWriter, value: JsonObject): void {
  text(writer, 3, value.description);
  text(writer, 5, value.operationId);
  texts(writer, 6, value.produces);
  texts(writer, 7, value.consumes);
  if (Array.isArray(value.parameters)) for (const item of value.parameters) message(writer, 8, (inner) => parameter(inner, item));
  message(writer, 9, (responses) => {
    for (const [code, answer] of entries(value.responses)) named(responses, 1, code, (inner) => response(inner, answer));
  });
  extensions(writer, 13, value);
}

function response(writer: BinaryWriter, value: Json): void {
  if (!isMap(value)) return;
  message(writer, 1, (inner) => {
    text(inner, 1, value.description);
    if (isMap(value.schema)) message(inner, 2, (item) => message(item, 1, (described) => schema(described, value.schema)));
  });
}

const METHODS: [string, number][] = [
  ["get", 2],
  ["put", 3],
  ["post", 4],
  ["delete", 5],
  ["patch", 8],
];

function path(writer: BinaryWriter, value: JsonObject): void {
  for (const [method, field] of METHODS) {
    const found = value[method];
    if (isMap(found)) message(writer, field, (inner) => operation(inner, found));
  }
  if (Array.isArray(value.parameters)) for (const item of value.parameters) message(writer, 9, (inner) => parameter(inner, item));
}

export function encodeDocument(document: DocumentV2): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, document.swagger);
  message(writer, 2, (info) => {
    text(info, 1, document.info.title);
    text(info, 2, document.info.version);
  });
  message(writer, 8, (all) => {
    for (const [name, value] of Object.entries(document.paths)) named(all, 2, name, (inner) => path(inner, value));
  });
  message(writer, 9, (all) => {
    for (const [name, value] of Object.entries(document.definitions)) named(all, 1, name, (inner) => schema(inner, value));
  });
  return writer.finish();
}
