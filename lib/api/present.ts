/** Objects as clients see them: secrets as digests, freshness and view computed now. */
import { hideSecrets, hideSecretsOf } from "@/lib/policies/admission";
import { API_VERSION, type Freshness, type JsonObject, type Pause, type Resource, viewOf } from "@/lib/resource";
import type { ApiDependencies, Call } from "./call";
import type { ApiObject } from "./contract";
import { dryRunOf } from "./query";

/** The document that clients edit: what `merge patch` is applied to. Who owns which field is nobody's to edit. */
export function documentOf(resource: Resource): JsonObject {
  const { kind, spec, control } = resource;
  const { managedFields: _managedFields, ...metadata } = resource.metadata;
  // Metadata and control hold text, numbers, lists and maps only: they are JSON by construction.
  const plain: JsonObject = JSON.parse(JSON.stringify({ metadata, control }));
  return { apiVersion: API_VERSION, kind, ...plain, spec: hideSecretsOf(spec) };
}

function objectOf(resource: Resource, freshness: Freshness, now: number, kindPaused: Pause | undefined): ApiObject {
  const { kind, metadata, spec, control, status } = resource;
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: metadata.deletionTimestamp === undefined ? metadata : { ...metadata, deletionGracePeriodSeconds: 0 },
    spec: hideSecretsOf(spec),
    control,
    ...(status ? { status: status.observed === undefined ? status : { ...status, observed: hideSecrets(status.observed) } } : {}),
    freshness,
    view: viewOf(resource, freshness, now, { kindPaused }),
  };
}

/** Many at once: one read of leases and one of pauses. */
export async function present(
  { engine, clock, kindPauses }: Pick<ApiDependencies, "engine" | "clock" | "kindPauses">,
  resources: readonly Resource[],
): Promise<ApiObject[]> {
  if (resources.length === 0) return [];
  const [freshness, pauses] = await Promise.all([engine.freshness(resources), kindPauses()]);
  const unknown: Freshness = { observedAt: null, stale: true, message: "It is not known when this was last looked at." };
  return resources.map((resource, index) => objectOf(resource, freshness[index] ?? unknown, clock.now(), pauses[resource.kind]));
}

/** One object, in answer to a request that is about it. A dry-run is told with the freshness of what the caller has read before. */
export async function presentOne(call: Call, resource: Resource): Promise<ApiObject> {
  const { dependencies, told, principal } = call;
  const [object] = await present(dependencies, [resource]);
  if (!object) throw new Error("an object was not presented");
  if (call.request.method === "GET") {
    told.remember(principal.name, resource, object.freshness);
    return object;
  }
  const before = dryRunOf(call) ? told.recall(principal.name, resource) : undefined;
  return before ? objectOf(resource, before, call.now, (await dependencies.kindPauses())[resource.kind]) : object;
}
