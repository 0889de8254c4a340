import { SetpointError } from "@/lib/errors";
import { API_VERSION, nameFault, namespaceFault } from "@/lib/resource";
import type { Call } from "../call";
import type { ApiList } from "../contract";
import { present } from "../present";
import { fieldsOf, flag, labelsOf, one, versionOf, wholeNumber } from "../query";
import { json } from "../respond";
import { shaperOf } from "../shapes";
import { watch } from "./watch";

export const LIST_FIELDS = ["metadata.name", "metadata.namespace", "status.state", "control.mode"];
const MOST = 999_999_999;

export async function list(call: Call): Promise<Response> {
  if (flag(call.query, "watch")) return watch(call);
  const shaper = shaperOf(call);
  const { resources } = call.dependencies;
  const version = versionOf(call.query);
  if (version !== undefined && BigInt(version) > BigInt(await resources.currentRevision()))
    // Nothing is waited for: a client that is told so lists without a version, as after a restore it must.
    throw new SetpointError("BadRequest", `Too large resource version: ${version}`, {
      causes: [{ reason: "ResourceVersionTooLarge", field: "", message: "Too large resource version" }],
    });
  const labels = labelsOf(call.query);
  const fields = fieldsOf(call.query, LIST_FIELDS);
  const asked = wholeNumber(call.query, "limit", 0, MOST) || undefined;
  // As kube-apiserver: what may be answered from a cache comes whole.
  const limit = version === "0" ? undefined : asked;
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
  const metadata: ApiList["metadata"] = {
    resourceVersion: result.resourceVersion,
    ...(result.next ? { continue: encodeContinue(result.next) } : {}),
    ...(result.next && !selected && result.remaining !== undefined ? { remainingItemCount: result.remaining } : {}),
  };
  const items = await present(call.dependencies, result.items);
  return json(call, shaper.list({ apiVersion: API_VERSION, kind: `${call.kind.name}List` }, metadata, items));
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
