/** Where our answers differ from a kube-apiserver's on purpose: the name of the recorded request, and the reason. */

const STATUS = "every error is a Status, with its reason in words";
const CLOSED = "status is the engine's report: clients are told so instead of being let write it";
const FEED = "a deletion is two entries of the feed: asked for, and gone";

export const DIFFERENCES: Record<string, string> = {
  "disc /apis/nope.dev": STATUS,
  "disc /apis/setpoint.dev/v9": STATUS,
  "disc /nope": `${STATUS}; paths are listed by discovery and OpenAPI`,
  "no token": "nobody is anonymous here: 401 says that a credential is missing, 403 that it does not suffice",
  "openapi pb": "the document describes our kinds",
  "accept protobuf (CR)": "the refusal comes as JSON, as do all our answers: clients that send protobuf take JSON too",
  "create wrong kind": "400: the body is no object of this collection, so nothing about its fields is said",
  "create with resourceVersion": "a client's mistake is 400, never 500",
  "create in missing ns": "a namespace exists with the first object in it",
  "create yaml body": "YAML 1.2: `y` is text, so the name is fine",
  "create unknown field (pruned)": "unknown fields are refused, with the nearest that exists, and never dropped in silence",
  "list PartialObjectMetadataList": "the rest of the list is counted in every shape",
  "list rv future": "400 instead of 504: nothing is waited for; the cause ResourceVersionTooLarge makes client libraries list anew",
  "list rv bad": "a client's mistake is 400, never 500",
  "put no rv": "a missing field is FieldValueRequired, and faults of content name the Kind",
  "put status": CLOSED,
  "merge patch status": CLOSED,
  "ssa status": CLOSED,
  "json patch test fail": "the operation that failed is named",
  "json patch bad path": "the operation that failed is named",
  "watch from rv": FEED,
  "watch table": FEED,
  "watch bookmarks": FEED,
  "watch rv=1 (410)": "the first revision is still in the feed here; reads.test.ts has one that is not",
  "watch future rv": "410 instead of waiting for ever: after a restore clients list anew",
  "watch with limit/name path": "what is there comes in the order of names",
  "post on item (405)": "405 with Allow says what is wrong: the method",
  "put on collection (405)": "405 with Allow says what is wrong: the method",
  "unknown subresource": "the path is said to lead nowhere, whether or not the object exists",
  forbidden: "recorded with another token; access.test.ts has who may what",
};
