import { SetpointError } from "@/lib/errors";
import { API_VERSION, nameFault, namespaceFault } from "@/lib/resource";
import type { Call } from "../call";
import type { ApiList } from "../contract";
import { present } from "../present";
import { fieldsOf, flag, labelsOf, one, versionOf, wholeNumber } from "../query";
import { json } from "../respond";
import { watch } from "./watch";

const LIST_FIELDS = ["metadata.name", "metadata.namespace", "status.state", "control.mode"];
const MOST = 999_999_999;

export async function list(call: Call): Promise<Response> {
  if (flag(call.query, "watch")) return watch(call);
  const { resources } = call.dependencies;
  const version = versionOf(call.query);
  if (version !== undefined && BigInt(version) > BigInt(await resources.currentRevision()))
    throw new SetpointError("BadRequest", `Too large resource version: ${version}`);
  const labels = labelsOf(call.query);
  const fields = fieldsOf(call.query, LIST_FIELDS);
  const limit = wholeNumber(call.query, "limit", 0, MOST) || undefined;
  const token = one(call.query, "continue");
  const result = await resources.list({
    kind: call.kind.name,
    namespace: call.address.namespace,
    labels,
    fields,
    limit,
    ...(token === undefined ? {} : { after: decodeContinue(token) }),
  });
  const selected = labels.length > 0 || fields.length > 0;
  const answer: ApiList = {
    apiVersion: API_VERSION,
    kind: `${call.kind.name}List`,
    metadata: {
      resourceVersion: result.resourceVersion,
      ...(result.next ? { continue: encodeContinue(result.next) } : {}),
      ...(result.next && !selected && result.remaining !== undefined ? { remainingItemCount: result.remaining } : {}),
    },
    items: await present(call.dependencies, result.items),
  };
  return json(call, answer);
}

type Position = { namespace: string; name: string };

function encodeContinue({ namespace, name }: Position): string {
  return Buffer.from(`v1/${namespace}/${name}`).toString("base64url");
}

function decodeContinue(token: string): Position {
  const [version, namespace = "", name = "", ...rest] = Buffer.from(token, "base64url").toString("utf8").split("/");
  if (version !== "v1" || rest.length > 0 || namespaceFault(namespace) !== undefined || nameFault(name) !== undefined)
    throw new SetpointError("BadRequest", "invalid continue token: it is not one that a list of this server gave");
  return { namespace, name };
}
