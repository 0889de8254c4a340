/** POST /api/console/bulk: one action on many objects, each authorised, audited and answered for by itself. */
import { z } from "zod";
import { asSetpointError, SetpointError } from "@/lib/errors";
import type { Verb } from "@/lib/policies/access";
import { admitPause, causesOf } from "@/lib/policies/admission";
import { keyOf, type Resource } from "@/lib/resource";
import type { Mutation } from "@/lib/store";
import { readObject } from "../body";
import type { Call } from "../call";
import type { BulkAnswer } from "../contract";
import { staleAfterByKind } from "../freshness";
import { tracked } from "../ownership";
import { json } from "../respond";
import { reconcileNow } from "../subresources/reconcile";
import { filterOf } from "./resources";

/** More at once would hold one request for too long. */
const MOST = 10_000;
const AT_ONCE = 4;

const bulkRequest = z
  .strictObject({
    action: z.enum(["pause", "resume", "reconcile"]),
    uids: z.array(z.uuid()).min(1).max(MOST).optional(),
    query: z.string().max(8_192).optional(),
    expectedCount: z.number().int().min(0).optional(),
    reason: z.string().max(500).optional(),
    until: z.string().max(64).optional(),
  })
  .refine(({ uids, query }) => (uids === undefined) !== (query === undefined), { message: "give either uids or query", path: ["uids"] })
  .refine(({ query, expectedCount }) => query === undefined || expectedCount !== undefined, {
    message: "is needed with query: the number of objects that the person saw",
    path: ["expectedCount"],
  });
type Request = z.infer<typeof bulkRequest>;

const VERBS: Record<Request["action"], Verb> = { pause: "control", resume: "control", reconcile: "reconcile" };

export async function bulk(call: Call): Promise<Response> {
  const raw = await readObject(call);
  const parsed = bulkRequest.safeParse(raw);
  if (!parsed.success) throw invalidBulk(causesOf(parsed.error.issues, bulkRequest, raw, ""));
  call.authoriseSomewhere(VERBS[parsed.data.action]);
  if (parsed.data.action === "pause") pauseOf(call, parsed.data);
  const uids = [...new Set(await chosen(call, parsed.data))];
  const results: BulkAnswer["results"] = new Array(uids.length);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < uids.length; index = next++) results[index] = await act(call, parsed.data, uids[index] ?? "");
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return json(call, { results } satisfies BulkAnswer);
}

function invalidBulk(causes: ReturnType<typeof causesOf>): SetpointError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  return new SetpointError("Invalid", `the bulk request is invalid: ${texts.join(", ")}`, { causes });
}

/** The objects meant; a filter counts only while it finds as many as the person saw. */
async function chosen(call: Call, { uids, query, expectedCount }: Request): Promise<string[]> {
  if (uids) return uids;
  const { console: store, engine } = call.dependencies;
  const filter = filterOf(new URLSearchParams(query), engine.kinds);
  const found = await store.matching({ ...filter, staleAfterMs: staleAfterByKind(engine.kinds), visible: call.visible() }, MOST);
  if (found.total !== expectedCount)
    throw new SetpointError(
      "Conflict",
      `the filter finds ${found.total} objects now, not ${expectedCount}: look at the list again, then repeat the action`,
    );
  if (found.total > MOST)
    throw new SetpointError("BadRequest", `the filter finds ${found.total} objects; at most ${MOST} can be changed at once`);
  return found.uids;
}

function pauseOf(call: Call, { reason, until }: Request) {
  const { pause, causes } = admitPause({ reason, until }, undefined, { by: call.principal.name, now: call.now }, "");
  if (causes.length > 0) throw invalidBulk(causes.map((cause) => ({ ...cause, field: cause.field.replace(/^\./, "") })));
  return pause;
}

async function act(call: Call, wanted: Request, uid: string): Promise<BulkAnswer["results"][number]> {
  let resource: Resource | undefined;
  const answer = (ok: boolean, message: string) => ({
    uid,
    name: resource?.metadata.name ?? "",
    kind: resource?.kind ?? "",
    namespace: resource?.metadata.namespace ?? "",
    ok,
    message,
  });
  try {
    const found = await call.dependencies.resources.getByUid(uid);
    // What may not be read is told apart from what is not there by nothing.
    if (found && call.may("get", found.kind, found.metadata.namespace)) resource = found;
    if (!resource) return answer(false, "not found: it may have been deleted meanwhile");
    const { namespace, name } = resource.metadata;
    const { kind } = resource;
    const plural = call.dependencies.engine.kinds.find((candidate) => candidate.name === kind)?.plural ?? kind.toLowerCase();
    call.authorise(VERBS[wanted.action], { resource: plural, namespace, name });
    return answer(true, await apply(call, wanted, resource));
  } catch (error) {
    const fault = asSetpointError(error);
    if (fault.reason !== "InternalError") return answer(false, fault.message);
    call.dependencies.log("bulk action failed", { requestId: call.id, uid, error: fault.message });
    return answer(false, `internal error, logged under the request id ${call.id}`);
  }
}

async function apply(call: Call, wanted: Request, resource: Resource): Promise<string> {
  if (wanted.action === "reconcile") return (await reconcileNow(call, resource)).message;
  const key = keyOf(resource);
  const pause = wanted.action === "pause" ? pauseOf(call, wanted) : undefined;
  const kind = call.dependencies.engine.kinds.find(({ name }) => name === resource.kind);
  const { changed } = await call.dependencies.resources.mutate(key, call.actor, (current) => {
    const { paused, ...control } = current.control;
    const same = pause && paused && paused.reason === pause.reason && paused.until === pause.until;
    const mutation: Mutation = {
      control: { ...control, ...(pause ? { paused: same ? paused : pause } : {}) },
      audit: call.audit("control", key, { bulk: true, action: wanted.action, ...(pause ? { reason: pause.reason } : {}) }),
    };
    // A kind that this process no longer knows can still be paused.
    return kind ? tracked(call, kind, current, mutation, "control") : mutation;
  });
  if (!changed) return wanted.action === "pause" ? "was paused already" : "was not paused";
  return wanted.action === "pause" ? "paused" : "resumed";
}
