import type { Action, Plan, PlanInput } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { type ConditionReport, compareField, driftOf, type Json, type Resource } from "@/lib/resource";
import { compare, modeText, sha256 } from "./compare";
import type { Observed } from "./observe";
import type { ConfigFileSpec } from "./schema";

type PutInput = {
  /** Of the content to write, so that the plan's hash covers it. */
  sha256: string;
  adopt: boolean;
  mode?: number;
  uid?: number;
  gid?: number;
};
export type FileAction = (Action & { type: "Create" | "Replace" | "Adopt"; input: PutInput }) | (Action & { type: "Delete" });

type Input = PlanInput<ConfigFileSpec, Observed>;

/** What keeps the loop from this path; undefined when it may act. */
function blockOf(
  { spec, control, metadata }: Resource<ConfigFileSpec>,
  { look, holderGone, holderForeign }: Observed,
  here: string,
): SetpointError | undefined {
  if (look.obstacle) return new SetpointError(look.obstacle.reason, look.obstacle.message);
  const { actual, holder, owned, markLocation } = look;
  if (actual.type === "link")
    return new SetpointError("InvalidSpec", `${spec.path} is a symbolic link; Setpoint follows no links below its root`);
  if (actual.type === "folder" || actual.type === "special")
    return new SetpointError("NotOurs", `${spec.path} is not a regular file; remove it or choose another path`);
  if (holder && !holder.mine && !holderGone && !holderForeign)
    return new SetpointError(
      "Contested",
      `${spec.path} belongs to ConfigFile ${holder.namespace}/${holder.name}, which keeps it, and is claimed by ConfigFile ${metadata.namespace}/${metadata.name}; choose another path or delete that one` +
        (holder.namespace === here ? "" : ` (if it no longer exists, remove ${markLocation} below the root)`),
    );
  if (control.adopt) return undefined;
  if (holder && !holder.mine) {
    const whose = `ConfigFile ${holder.namespace}/${holder.name} of installation ${holder.installation}`;
    return new SetpointError(
      // Who is gone claims nothing any more; of another installation nobody here knows.
      holderForeign ? "Contested" : "NotOurs",
      `${spec.path} carries the mark of ${whose}; choose another path, or take it over with control.adopt`,
    );
  }
  if (actual.type === "file" && !owned)
    return new SetpointError("NotOurs", `${spec.path} exists and is not ours; choose another path, or take it over with control.adopt`);
  return undefined;
}

function conditionOf({ spec }: Resource<ConfigFileSpec>, observed: Observed, drifted: boolean, blocked?: SetpointError): ConditionReport {
  const report = (status: "True" | "False", reason: string, message: string) => ({ type: "Available", status, reason, message });
  if (blocked) return report("False", blocked.reason, blocked.message);
  if (observed.look.actual.type === "absent") return report("False", "Missing", `${spec.path} does not exist`);
  if (drifted) return report("False", "Drifted", `${spec.path} is not as declared`);
  return report("True", "InPlace", `${spec.path} is in place`);
}

function summaryOf({ spec }: Resource<ConfigFileSpec>, { look }: Observed): Json {
  const { actual } = look;
  if (actual.type !== "file") return { path: spec.path, type: actual.type };
  const { bytes, mode, uid, gid } = actual;
  return { path: spec.path, type: "file", bytes, mode: modeText(mode), uid, gid, ...(actual.sha256 ? { sha256: actual.sha256 } : {}) };
}

function targetOf({ spec }: Resource<ConfigFileSpec>): string {
  return spec.host === undefined ? `file ${spec.path}` : `file ${spec.path} on ${spec.host}`;
}

function putAction(resource: Resource<ConfigFileSpec>, { look, owner }: Observed, paths: string[]): FileAction {
  const { spec, control } = resource;
  const target = targetOf(resource);
  const input: PutInput = {
    sha256: sha256(spec.content),
    adopt: control.adopt === true,
    ...(spec.mode === undefined ? {} : { mode: Number.parseInt(spec.mode, 8) }),
    ...(owner === undefined ? {} : { uid: owner.uid, ...(owner.gid === undefined ? {} : { gid: owner.gid }) }),
  };
  if (look.actual.type === "absent")
    return { type: "Create", effect: "create", target, reason: "Missing", message: `Write ${spec.path}, which does not exist`, input };
  if (!look.owned || !look.holder?.mine)
    return {
      type: "Adopt",
      effect: "update",
      target,
      reason: "Adopted",
      message: `Take over ${spec.path} and write it as declared`,
      input,
    };
  const message = `Replace ${spec.path}: ${paths.join(", ")} ${paths.length === 1 ? "differs" : "differ"}`;
  return { type: "Replace", effect: "update", target, reason: "Drifted", message, input };
}

function planDeletion({ resource, observed }: Input): Plan<FileAction> {
  const { look } = observed;
  if (!look.holder?.mine) return { fields: [], actions: [], conditions: [] };
  const message = look.owned ? `Remove ${resource.spec.path}` : `Forget ${resource.spec.path}, where nothing of ours is`;
  return {
    fields: [compareField("ownership", undefined, "ours")],
    actions: [{ type: "Delete", effect: "delete", target: targetOf(resource), reason: "Deleted", message }],
    conditions: [],
    observed: summaryOf(resource, observed),
  };
}

/** The file as declared, in one atomic action; or gone, if it is ours. */
export function plan(input: Input): Plan<FileAction> {
  if (input.deleting) return planDeletion(input);
  const { resource, observed } = input;
  const fields = compare(resource, observed);
  const paths = driftOf(fields).map((difference) => difference.path.replace(/^spec\./, ""));
  const blocked = blockOf(resource, observed, resource.metadata.namespace);
  return {
    fields,
    actions: blocked || paths.length === 0 ? [] : [putAction(resource, observed, paths)],
    conditions: [conditionOf(resource, observed, paths.length > 0, blocked)],
    observed: summaryOf(resource, observed),
    // Whoever replaces a file leaves its uid on it; one that writes into ours leaves no trace.
    ...(observed.look.actual.type === "file" && paths.length > 0
      ? { otherWriter: `somebody else (the file is now of uid ${observed.look.actual.uid})` }
      : {}),
    ...(blocked ? { blocked } : {}),
  };
}
