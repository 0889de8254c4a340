import { createHash } from "node:crypto";
import { basePort, type ReplicaSetSpec } from "./schema";

/**
 * Names what an instance is started from: executable, arguments, environment and port. Whatever is not in it (grace, probe path,
 * replicas) changes without replacing anything. An instance carries it as its mark, so this must not change between versions of Setpoint.
 */
export function templateHash(spec: ReplicaSetSpec): string {
  const { command, env = {} } = spec.template;
  const sorted = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash("sha256")
    .update(JSON.stringify([command, sorted, basePort(spec)]))
    .digest("hex")
    .slice(0, 12);
}
