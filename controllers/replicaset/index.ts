import { defineController, type Kind } from "@/lib/controller";
import type { Providers } from "@/lib/providers";
import { applyReplicaSet } from "./apply";
import { observeReplicaSet } from "./observe";
import { planReplicaSet } from "./plan";
import { check, type ReplicaSetSpec, schema } from "./schema";

export const kind: Kind<ReplicaSetSpec> = {
  name: "ReplicaSet",
  plural: "replicasets",
  singular: "replicaset",
  shortNames: ["rs"],
  description: "Keeps a number of instances of one command running as processes of one machine.",
  schema,
  columns: [
    { name: "Replicas", path: "spec.replicas" },
    { name: "Running", path: "status.observed.running" },
    { name: "Ready", path: "status.observed.ready" },
    { name: "Host", path: "spec.host", priority: 1 },
  ],
  example: {
    replicas: 2,
    template: { command: ["sample-service"], env: { VERSION: "1" }, stopGraceSeconds: 10 },
    probe: { http: { port: 18080, path: "/healthz" } },
  },
  hostBound: true,
  immutable: ["host"],
  scale: { replicas: "replicas", observed: "status.observed.running" },
  check,
  resyncMs: 5_000,
  observeTimeoutMs: 30_000,
  // The grace, the patience after SIGKILL, and room for a busy machine.
  applyTimeoutMs: (spec) => (spec.template.stopGraceSeconds + 20) * 1000,
};

/** ReplicaSet: so many instances of one command, as processes of one machine. */
export default function replicaSet({ processes }: Pick<Providers, "processes">) {
  return defineController({
    kind,
    observe: (resource, context) => observeReplicaSet(processes, resource, context),
    plan: planReplicaSet,
    apply: (action, resource, context) => applyReplicaSet(processes, action, resource, context),
    subscribe: (wake) => processes.subscribe(wake),
  });
}
