import { SetpointError } from "@/lib/errors";
import { GROUP, nameFault, type Resource } from "@/lib/resource";
import type { Call } from "../call";
import { presentOne } from "../present";
import { answer } from "../shapes";

export function notFound(call: Call): SetpointError {
  return new SetpointError("NotFound", `${call.kind.plural}.${GROUP} "${call.address.name ?? ""}" not found`);
}

/** The stored object that the URL names. Throws NotFound. */
export async function load(call: Call): Promise<Resource> {
  // A name that cannot be one is never looked for.
  if (nameFault(call.address.name ?? "") !== undefined) throw notFound(call);
  const resource = await call.dependencies.resources.get(call.key);
  if (!resource) throw notFound(call);
  return resource;
}

export async function get(call: Call): Promise<Response> {
  return answer(call, await presentOne(call, await load(call)));
}
