import { admitControl, invalidObject, mergePatchObject } from "@/lib/policies/admission";
import type { JsonObject, Resource } from "@/lib/resource";
import { JSON_TYPE, MERGE_PATCH, readObject } from "../body";
import type { Call } from "../call";
import { presentOne } from "../present";
import { json } from "../respond";
import { load } from "../verbs/get";
import { mutate } from "../verbs/write";

/** GET: the operator's hand on the loop. */
export async function getControl(call: Call): Promise<Response> {
  return json(call, (await load(call)).control);
}

/** PATCH and PUT: a merge patch of control. `paused: null` resumes; who and since when is the server's to say. */
export async function setControl(call: Call): Promise<Response> {
  const change = await readObject(call, [JSON_TYPE, MERGE_PATCH]);
  const decide = (current: Resource) => ({
    control: patchedControl(call, current, change),
    audit: call.audit("control", call.key, { control: change }),
  });
  const { resource } = await mutate(call, decide, { subresource: "control" });
  return json(call, await presentOne(call, resource));
}

function patchedControl(call: Call, current: Resource, change: JsonObject) {
  const stored: JsonObject = JSON.parse(JSON.stringify(current.control));
  const { control, causes } = admitControl(mergePatchObject(stored, change), current.control, { by: call.principal.name, now: call.now });
  if (causes.length > 0) throw invalidObject(call.kind.name, current.metadata.name, causes);
  return control;
}
