/** The body of a review: JSON, YAML, or the protobuf that kubectl sends since 1.32. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { SetpointError } from "@/lib/errors";
import type { JsonObject } from "@/lib/resource";
import { JSON_TYPE, mediaType, OBJECT_TYPES, readBytes, readObject, type Sender } from "../body";

const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const MAGIC = Buffer.from("k8s\0");

/** Fields of a message by number: text, another message, or a list of texts. What is not here is skipped. */
interface Message {
  [number: number]: { name: string; of: "text" } | { name: string; of: Message };
}

const text = (name: string) => ({ name, of: "text" as const });

/** k8s.io.apimachinery.pkg.runtime.Unknown: its `raw` is the message of the kind. */
const ENVELOPE_TYPE = 1;
const ENVELOPE_RAW = 2;
const TYPE_META: Message = { 1: text("apiVersion"), 2: text("kind") };

/** k8s.io.api.authorization.v1, from its public generated.proto. */
const RESOURCE_ATTRIBUTES: Message = {
  1: text("namespace"),
  2: text("verb"),
  3: text("group"),
  4: text("version"),
  5: text("resource"),
  6: text("subresource"),
  7: text("name"),
};
const NON_RESOURCE_ATTRIBUTES: Message = { 1: text("path"), 2: text("verb") };

export const ACCESS_REVIEW: Message = {
  2: {
    name: "spec",
    of: { 1: { name: "resourceAttributes", of: RESOURCE_ATTRIBUTES }, 2: { name: "nonResourceAttributes", of: NON_RESOURCE_ATTRIBUTES } },
  },
};
export const RULES_REVIEW: Message = { 2: { name: "spec", of: { 1: text("namespace") } } };
export const SELF_REVIEW: Message = {};

/** The review as JSON would have it. Throws BadRequest for bytes that are no such message. */
export async function readReview(call: Sender, shape: Message): Promise<JsonObject> {
  if (mediaType(call.request.headers) !== PROTOBUF_TYPE) return readObject(call, [...OBJECT_TYPES, PROTOBUF_TYPE]);
  const bytes = Buffer.from(await readBytes(call));
  try {
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error("it does not begin as one");
    const { meta, raw } = envelope(bytes.subarray(MAGIC.length));
    return { ...meta, ...decode(raw, shape) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.slice(0, 200) : "";
    throw new SetpointError("BadRequest", `the body is not a message of Kubernetes' protobuf: ${why}; ${JSON_TYPE} is accepted too`, {
      cause,
    });
  }
}

function envelope(bytes: Uint8Array): { meta: JsonObject; raw: Uint8Array } {
  const reader = new BinaryReader(bytes);
  let meta: JsonObject = {};
  let raw: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === ENVELOPE_TYPE && wire === WireType.LengthDelimited) meta = decode(reader.bytes(), TYPE_META);
    else if (field === ENVELOPE_RAW && wire === WireType.LengthDelimited) raw = reader.bytes();
    else reader.skip(wire, field);
  }
  return { meta, raw };
}

function decode(bytes: Uint8Array, shape: Message): JsonObject {
  const reader = new BinaryReader(bytes);
  const result: JsonObject = {};
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (!known || wire !== WireType.LengthDelimited) reader.skip(wire, field);
    else result[known.name] = known.of === "text" ? reader.string() : decode(reader.bytes(), known.of);
  }
  return result;
}
