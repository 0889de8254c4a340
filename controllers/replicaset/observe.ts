import type { ObserveContext } from "@/lib/controller";
import type { Exit, Instance, ProbeRequest, ProbeResult, Processes } from "@/lib/providers/processes";
import type { Resource } from "@/lib/resource";
import { basePort, type ReplicaSetSpec } from "./schema";
import { templateHash } from "./template";

/** An instance and what its probe said; null when it passes or is not asked. */
export interface SeenInstance extends Instance {
  probe: ProbeResult;
}

export interface Observed {
  instances: SeenInstance[];
  exits: Exit[];
  /** Slots that have a folder. */
  folders: number[];
  /** Why this host does not run the command; null when it does. */
  refusal: { reason: "InvalidSpec" | "AccessDenied" | "Unsupported" | "TargetError"; message: string } | null;
}

/** Every marked process of this object, each asked by its probe at the port it was given. */
export async function observeReplicaSet(
  processes: Processes,
  resource: Resource<ReplicaSetSpec>,
  context: Pick<ObserveContext, "signal">,
): Promise<Observed> {
  const { spec, metadata } = resource;
  const { instances, exits, folders } = await processes.look(metadata.uid, context.signal);
  const ask = async (instance: Instance): Promise<SeenInstance> => {
    const request = metadata.deletionTimestamp === undefined ? probeOf(spec, instance) : undefined;
    return { ...instance, probe: request ? await processes.probe(request, context.signal) : null };
  };
  return { instances: await Promise.all(instances.map(ask)), exits, folders, refusal: refusalOf(processes, spec) };
}

function probeOf(spec: ReplicaSetSpec, instance: Instance): ProbeRequest | undefined {
  const base = basePort(spec);
  if (!spec.probe || base === null || !instance.leads || instance.ordinal >= spec.replicas) return undefined;
  // One of an older template listens where that one said; had that one no port, there is nowhere to ask.
  const current = instance.template === templateHash(spec);
  const port = current ? base + instance.ordinal : instance.port;
  if (port === null || port < 1 || port > 65535) return undefined;
  return { instance, port, httpPath: spec.probe.http?.path, timeoutMs: spec.probe.timeoutSeconds * 1000 };
}

function refusalOf(processes: Processes, spec: ReplicaSetSpec): Observed["refusal"] {
  const error = processes.refusal(spec.template.command);
  if (!error) return null;
  const { reason, message } = error;
  return { reason: reason === "InvalidSpec" || reason === "AccessDenied" || reason === "Unsupported" ? reason : "TargetError", message };
}
