import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { causesOf, conflictOn, invalidObject } from "@/lib/policies/admission";
import { GROUP, type Resource } from "@/lib/resource";
import { readOptionalObject } from "../body";
import type { Call } from "../call";
import type { ApiStatus } from "../contract";
import { presentOne } from "../present";
import { dryRunOf } from "../query";
import { json } from "../respond";
import { load } from "./get";
import { mutate } from "./write";

const SHOWN = 5;

const deleteOptions = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.literal("DeleteOptions").optional(),
  preconditions: z.strictObject({ uid: z.string().nullish(), resourceVersion: z.string().nullish() }).nullish(),
  /** There is no garbage collection by owner references: all three mean the same. */
  propagationPolicy: z.enum(["Background", "Foreground", "Orphan"]).nullish(),
  orphanDependents: z.boolean().nullish(),
  gracePeriodSeconds: z.number().int().min(0).nullish(),
  dryRun: z.array(z.literal("All")).nullish(),
});

/** DELETE: asks for deletion. The row leaves once the engine has seen that nothing is left outside. */
export async function remove(call: Call): Promise<Response> {
  const asked = dryRunOf(call);
  const raw = (await readOptionalObject(call.request)) ?? {};
  const options = deleteOptions.safeParse(raw);
  if (!options.success)
    throw invalidObject(call.kind.name, call.address.name ?? "", causesOf(options.error.issues, deleteOptions, raw, ""));
  const { preconditions, dryRun } = options.data;
  await refuseWhileUsed(call, await load(call));
  const result = await mutate(
    call,
    (current) => {
      checkPreconditions(call, current, preconditions ?? {});
      return { deletion: true, audit: call.audit("delete", call.key) };
    },
    { dryRun: asked || (dryRun?.length ?? 0) > 0 },
  );
  if (!result.removed) return json(call, await presentOne(call.dependencies, result.resource));
  const { name, uid } = result.resource.metadata;
  const answer: ApiStatus = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 200,
    details: { name, group: GROUP, kind: call.kind.plural, uid },
  };
  return json(call, answer);
}

function checkPreconditions(call: Call, { metadata }: Resource, wanted: { uid?: string | null; resourceVersion?: string | null }): void {
  const conflict = conflictOn({ plural: call.kind.plural }, metadata.name);
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
  const { namespace, name, uid } = resource.metadata;
  const referring = new Map(engine.kinds.filter((kind) => kind.references).map((kind) => [kind.name, kind]));
  if (referring.size === 0) return;
  const candidates = await store.mentioning(namespace, [...referring.keys()], name, 1_000);
  const users = candidates.filter(
    (candidate) =>
      candidate.metadata.uid !== uid &&
      referring
        .get(candidate.kind)
        ?.references?.(candidate.spec)
        .some((reference) => reference.kind === resource.kind && reference.name === name),
  );
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
