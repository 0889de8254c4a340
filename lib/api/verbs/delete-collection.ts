import { SetpointError } from "@/lib/errors";
import { API_VERSION } from "@/lib/resource";
import type { Call } from "../call";
import { present } from "../present";
import { fieldsOf, labelsOf, wholeNumber } from "../query";
import { json } from "../respond";
import { shaperOf } from "../shapes";
import { deletionOf, removeOne } from "./delete";
import { LIST_FIELDS } from "./list";

/** DELETE of a collection: each selected object, one by one; those that went meanwhile are no fault. Answers what was deleted. */
export async function removeAll(call: Call): Promise<Response> {
  const shaper = shaperOf(call);
  const deletion = await deletionOf(call);
  const { items, resourceVersion } = await call.dependencies.resources.list({
    kind: call.kind.name,
    namespace: call.namespace,
    labels: labelsOf(call.query),
    fields: fieldsOf(call.query, LIST_FIELDS),
    limit: wholeNumber(call.query, "limit", 0, 999_999_999) || undefined,
  });
  for (const { metadata } of items) {
    call.address = { ...call.address, name: metadata.name };
    await removeOne(call, { ...deletion, preconditions: { ...deletion.preconditions, uid: metadata.uid } }).catch(unlessGone);
  }
  call.address = { ...call.address, name: undefined };
  const shown = await present(call.dependencies, items);
  return json(call, shaper.list({ apiVersion: API_VERSION, kind: `${call.kind.name}List` }, { resourceVersion }, shown));
}

function unlessGone(error: unknown): void {
  if (!(error instanceof SetpointError) || error.reason !== "NotFound") throw error;
}
