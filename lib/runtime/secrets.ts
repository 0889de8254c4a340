import { SetpointError } from "@/lib/errors";
import { isSealed, type Sealer, sealContext } from "@/lib/secrets";
import type { ResourceStore } from "@/lib/store";

/** Opens one key of a Secret for a controller; what is missing is a dependency that is not ready, never a fault of the target. */
export function secretReader(resources: Pick<ResourceStore, "get">, sealer: Sealer) {
  return async (namespace: string, name: string, key: string): Promise<string> => {
    const missing = (what: string) => new SetpointError("DependencyNotReady", what, { wakeOn: `Secret/${name} has the key "${key}"` });
    const secret = await resources.get({ kind: "Secret", namespace, name });
    if (!secret || secret.metadata.deletionTimestamp) throw missing(`Secret "${name}" does not exist in namespace "${namespace}".`);
    const values = secret.spec.values;
    const value =
      typeof values === "object" && values !== null && !Array.isArray(values) && Object.hasOwn(values, key) ? values[key] : undefined;
    if (!isSealed(value)) throw missing(`Secret "${name}" has no key "${key}".`);
    return sealer.open(value, sealContext({ kind: "Secret", namespace, name }, ["values", key]));
  };
}
