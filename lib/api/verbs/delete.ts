import { z } from "zod";
import { usersOf } from "@/lib/controller";
import { type Cause, SetpointError } from "@/lib/errors";
import { causesOf, conflictOn, invalid } from "@/lib/policies/admission";
import { FOREGROUND_FINALIZER, GROUP, ORPHAN_FINALIZER, type Resource } from "@/lib/resource";
import { readOptionalObject } from "../body";
import type { Call } from "../call";
import type { ApiStatus } from "../contract";
import { presentOne } from "../present";
import { dryRunOf, one } from "../query";
import { json } from "../respond";
import { answer } from "../shapes";
import { load } from "./get";
import { mutate } from "./write";

const SHOWN = 5;

const POLICIES = ["Background", "Foreground", "Orphan"] as const;
type Policy = (typeof POLICIES)[number];

const deleteOptions = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.literal("DeleteOptions").optional(),
  preconditions: z.strictObject({ uid: z.string().nullish(), resourceVersion: z.string().nullish() }).nullish(),
  propagationPolicy: z.enum(POLICIES).nullish(),
  orphanDependents: z.boolean().nullish(),
  gracePeriodSeconds: z.number().int().min(0).nullish(),
  dryRun: z.array(z.literal("All")).nullish(),
});

/** What was asked for. */
export interface Deletion {
  preconditions: { uid?: string | null; resourceVersion?: string | null };
  /** What becomes of the objects that this one owns; undefined: as it was asked for before, else Background. */
  policy?: Policy;
  dryRun: boolean;
}

/** The options in body and query. Throws BadRequest or Invalid. */
export async function deletionOf(call: Call): Promise<Deletion> {
  const asked = dryRunOf(call);
  const raw = (await readOptionalObject(call)) ?? {};
  const policy = one(call.query, "propagationPolicy");
  const given = policy === undefined || Object.hasOwn(raw, "propagationPolicy") ? raw : { ...raw, propagationPolicy: policy };
  const options = deleteOptions.safeParse(given);
  if (!options.success) throw invalidOptions(causesOf(options.error.issues, deleteOptions, given, ""));
  const { preconditions, dryRun, propagationPolicy, orphanDependents } = options.data;
  if (propagationPolicy && typeof orphanDependents === "boolean")
    throw invalidOptions([invalid("propagationPolicy", "orphanDependents and propagationPolicy cannot both be set")]);
  const older = orphanDependents === true ? "Orphan" : orphanDependents === false ? "Background" : undefined;
  return {
    preconditions: preconditions ?? {},
    policy: propagationPolicy ?? older,
    dryRun: asked || (dryRun?.length ?? 0) > 0,
  };
}

function invalidOptions(causes: Cause[]): SetpointError {
  const why = causes.map(({ field, message }) => `${field}: ${message}`).join(", ");
  const about = { group: "meta.k8s.io", kind: "DeleteOptions" };
  return new SetpointError("Invalid", `DeleteOptions.meta.k8s.io "" is invalid: ${why}`, { causes, about });
}

/** DELETE: asks for deletion. The row leaves once the engine has seen that nothing is left outside. */
export async function remove(call: Call): Promise<Response> {
  const result = await removeOne(call, await deletionOf(call));
  if (!result.removed) return answer(call, await presentOne(call, result.resource));
  const { name, uid } = result.resource.metadata;
  const gone: ApiStatus = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 200,
    details: { name, group: GROUP, kind: call.kind.plural, uid },
  };
  return json(call, gone);
}

/** Asks for the deletion of the object that the call's address names. */
export async function removeOne(call: Call, { preconditions, policy, dryRun }: Deletion) {
  await refuseWhileUsed(call, await load(call));
  return mutate(
    call,
    (current) => {
      checkPreconditions(call, current, preconditions);
      return {
        deletion: true,
        finalizers: finalizersFor(current, policy),
        audit: call.audit("delete", call.key, policy ? { policy } : {}),
      };
    },
    { dryRun },
  );
}

/** What the garbage collector has still to do for the owned objects is a finalizer of its own. */
function finalizersFor({ metadata }: Resource, policy: Policy | undefined): string[] {
  const stored = metadata.finalizers ?? [];
  if (policy === undefined) return stored;
  const others = stored.filter((finalizer) => finalizer !== FOREGROUND_FINALIZER && finalizer !== ORPHAN_FINALIZER);
  if (policy === "Background") return others;
  return [...others, policy === "Foreground" ? FOREGROUND_FINALIZER : ORPHAN_FINALIZER];
}

function checkPreconditions(call: Call, { metadata }: Resource, wanted: { uid?: string | null; resourceVersion?: string | null }): void {
  const about = { group: GROUP, kind: call.kind.name, name: metadata.name };
  const conflict = (why: string) => new SetpointError("Conflict", conflictOn(call.kind, metadata.name)(why).message, { about });
  if (wanted.uid && wanted.uid !== metadata.uid)
    throw conflict(`the UID in the precondition (${wanted.uid.slice(0, 64)}) does not match the UID in record (${metadata.uid})`);
  if (wanted.resourceVersion && wanted.resourceVersion !== metadata.resourceVersion)
    throw conflict(
      `the ResourceVersion in the precondition (${wanted.resourceVersion.slice(0, 64)}) does not match the ResourceVersion in record (${metadata.resourceVersion})`,
    );
}

/** An object that others name in their spec stays until they are gone: deleting them may need it. */
async function refuseWhileUsed(call: Call, resource: Resource): Promise<void> {
  if (resource.metadata.deletionTimestamp !== undefined) return;
  const { engine, console: store } = call.dependencies;
  const { namespace, name } = resource.metadata;
  const users = await usersOf(resource, engine.kinds, store.mentioning);
  if (users.length === 0) return;
  const named = users.filter((user) => call.may("get", user.kind, namespace)).slice(0, SHOWN);
  const rest = users.length - named.length;
  const shown = named.map((user) => `${user.kind}/${user.metadata.name}`).join(", ");
  const more = rest === 0 ? "" : shown === "" ? `${rest} that you may not see` : ` and ${rest} more`;
  throw new SetpointError(
    "InUse",
    `${call.kind.plural}.${GROUP} "${name}" is in use by ${shown}${more}: delete ${users.length === 1 ? "it" : "them"} first, or let ${users.length === 1 ? "it" : "them"} name another`,
  );
}
