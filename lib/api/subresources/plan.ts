import { toIso } from "@/lib/clock";
import { admitCreate, admitUpdate, hideSecretsOf } from "@/lib/policies/admission";
import { diffJson, type JsonObject, nameFault, type Resource } from "@/lib/resource";
import { readObject } from "../body";
import type { Call } from "../call";
import { json } from "../respond";
import { load } from "../verbs/get";

/** GET: the plan that would run now. */
export async function plan(call: Call): Promise<Response> {
  return json(call, await call.dependencies.engine.plan(await load(call)));
}

/** POST: what a candidate object would change, from a fresh look. Nothing is written, the object need not exist. */
export async function planCandidate(call: Call): Promise<Response> {
  const document = await readObject(call);
  const name = call.address.name ?? "";
  const current = nameFault(name) === undefined ? await call.dependencies.resources.get(call.key) : undefined;
  const candidate = candidateOf(call, document, name, current);
  const answer = await call.dependencies.engine.planCandidate(current, candidate);
  const specChanges = diffJson(current ? hideSecretsOf(current.spec) : {}, hideSecretsOf(candidate.spec), "spec");
  return json(call, { ...answer, specChanges });
}

/** The object as it would be stored. */
function candidateOf(call: Call, document: JsonObject, name: string, current: Resource | undefined): Resource {
  const context = call.admission(name);
  const { spec, control } = current ? admitUpdate(current, document, context) : admitCreate(document, context);
  if (current) {
    const { metadata } = current;
    const changed = diffJson(current.spec, spec).length > 0;
    return { ...current, spec, control, metadata: { ...metadata, generation: metadata.generation + (changed ? 1 : 0) } };
  }
  const metadata = {
    name,
    namespace: call.namespace,
    // An object that is not stored owns nothing outside: no mark carries this uid.
    uid: "00000000-0000-0000-0000-000000000000",
    resourceVersion: "0",
    generation: 1,
    creationTimestamp: toIso(call.now),
  };
  return { kind: call.kind.name, metadata, spec, control };
}
