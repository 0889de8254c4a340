import type { ApplyContext } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import type { Processes } from "@/lib/providers/processes";
import type { Resource } from "@/lib/resource";
import type { ReplicaSetAction } from "./plan";
import { basePort, type ReplicaSetSpec } from "./schema";
import { templateHash } from "./template";

/** One process started or ended, or one folder removed. Repeating it finds it done. */
export async function applyReplicaSet(
  processes: Processes,
  action: ReplicaSetAction,
  resource: Resource<ReplicaSetSpec>,
  { signal }: Pick<ApplyContext, "signal">,
): Promise<void> {
  const { spec, metadata } = resource;
  const { uid } = metadata;
  const { ordinal } = action.input;
  const name = `${metadata.name}-${ordinal}`;
  switch (action.type) {
    case "Start": {
      const { template, settle } = action.input;
      if (template !== templateHash(spec)) throw new SetpointError("Conflict", `${name}: the template changed since this was planned`);
      const base = basePort(spec);
      const port = base === null ? null : base + ordinal;
      const { command, env = {} } = spec.template;
      await processes.start({ uid, ordinal, name, template, command, env, port, settle }, signal);
      return;
    }
    case "Stop": {
      const { pid, startTicks, bootId, leads, forget } = action.input;
      const instance = { pid, startTicks, bootId, leads };
      await processes.stop({ uid, ordinal, name, instance, graceSeconds: spec.template.stopGraceSeconds, forget }, signal);
      return;
    }
    case "Clear":
      await processes.clear(uid, ordinal);
  }
}
