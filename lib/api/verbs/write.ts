/** What update and patch have in common: the newest row under lock, admission, and the answer. */
import { SetpointError } from "@/lib/errors";
import { admitUpdate } from "@/lib/policies/admission";
import { deepEqual, type JsonObject, nameFault, type Resource } from "@/lib/resource";
import type { Mutation } from "@/lib/store";
import type { Call } from "../call";
import { ownersFromNow, resetsOwners, told, tracked } from "../ownership";
import { presentOne } from "../present";
import { dryRunOf, messageOf } from "../query";
import { answer } from "../shapes";
import { notFound } from "./get";

export interface MutateOptions {
  dryRun?: boolean;
  /** The part of the object that was addressed, when it was not the whole. */
  subresource?: string;
}

/**
 * Changes the object that the URL names; `decide` sees the newest row under lock. What it changes belongs to who writes, unless it
 * says itself whose it is. The answer is the object as it is then.
 */
export async function mutate(
  call: Call,
  decide: (current: Resource) => Mutation,
  { dryRun = dryRunOf(call), subresource }: MutateOptions = {},
) {
  if (nameFault(call.address.name ?? "") !== undefined) throw notFound(call);
  const owned = (current: Resource) => tracked(call, call.kind, current, decide(current), subresource);
  try {
    return await call.dependencies.resources.mutate(call.key, call.actor, owned, { dryRun });
  } catch (error) {
    if (error instanceof SetpointError && error.reason === "NotFound") throw notFound(call);
    throw told(call, error);
  }
}

/** As `write`; the answer is the object as it is then. */
export async function replace(call: Call, verb: string, documentOf: (current: Resource) => JsonObject): Promise<Response> {
  return answer(call, await presentOne(call, await write(call, verb, documentOf)));
}

/** Replaces intent and hand by what `documentOf` makes of the stored object. */
export async function write(call: Call, verb: string, documentOf: (current: Resource) => JsonObject): Promise<Resource> {
  const message = messageOf(call.query);
  const context = call.admission(call.address.name ?? "");
  const { resource } = await mutate(call, (current) => {
    const document = documentOf(current);
    const { slice: _slice, ...admitted } = admitUpdate(current, document, context);
    const reset = resetsOwners(document) ? { managedFields: ownersFromNow(call, current, admitted) } : {};
    const changed = [...changedParts(current, admitted), ...Object.keys(reset)];
    return { ...admitted, ...reset, message, audit: call.audit(verb, call.key, { changed, ...(message === "" ? {} : { message }) }) };
  });
  return resource;
}

/** The words of the audit for what changes. */
export function changedParts(
  current: Resource,
  next: Pick<Mutation, "spec" | "control" | "labels" | "annotations" | "finalizers">,
): string[] {
  const { metadata } = current;
  const parts: [string, unknown, unknown][] = [
    ["spec", current.spec, next.spec],
    ["control", current.control, next.control],
    ["labels", metadata.labels ?? {}, next.labels],
    ["annotations", metadata.annotations ?? {}, next.annotations],
    ["finalizers", metadata.finalizers ?? [], next.finalizers],
  ];
  return parts.filter(([, before, after]) => !deepEqual(before, after)).map(([part]) => part);
}
