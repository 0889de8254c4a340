/** May I? Asked of the same routes and the same policy that decide when it is done. */
import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { decideAccess, type Verb } from "@/lib/policies/access";
import { causesOf } from "@/lib/policies/admission";
import { GROUP, namespaceFault } from "@/lib/resource";
import type { AnyKind, Call } from "../call";
import { json } from "../respond";
import type { Method, Route } from "../route";
import { kindRoute } from "../routes";
import { ACCESS_REVIEW, readReview } from "./body";

const attribute = z.string().max(253).optional();
const schema = z.object({
  apiVersion: z.string().optional(),
  kind: z.literal("SelfSubjectAccessReview").optional(),
  spec: z.object({
    resourceAttributes: z
      .object({
        namespace: attribute,
        verb: attribute,
        group: attribute,
        version: attribute,
        resource: attribute,
        subresource: attribute,
        name: attribute,
      })
      .optional(),
    nonResourceAttributes: z.object({ path: z.string().max(4_096).optional(), verb: attribute }).optional(),
  }),
});

type Attributes = NonNullable<z.infer<typeof schema>["spec"]["resourceAttributes"]>;
export interface Answer {
  allowed: boolean;
  reason: string;
}

const METHODS: Record<string, Method> = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};
/** Done to a whole collection, not to one object. */
const OF_COLLECTIONS = ["list", "watch", "create", "deletecollection"];
const READABLE_PATHS = /^\/(healthz|livez|readyz|version|openapi(\/.*)?|apis?(\/.*)?)\/?$/;

/** POST …/selfsubjectaccessreviews */
export async function accessReview(call: Call): Promise<Response> {
  const raw = await readReview(call, ACCESS_REVIEW);
  const parsed = schema.safeParse(raw);
  const { resourceAttributes, nonResourceAttributes } = parsed.data?.spec ?? {};
  if (!parsed.success || (resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    const causes = parsed.success ? [] : causesOf(parsed.error.issues, schema, raw, "");
    const why = causes.map(({ field, message }) => `${field}: ${message}`).join(", ");
    throw new SetpointError(
      "Invalid",
      `SelfSubjectAccessReview.authorization.k8s.io "" is invalid: ${why || "spec: exactly one of resourceAttributes and nonResourceAttributes must be given"}`,
      { causes, about: { group: "authorization.k8s.io", kind: "SelfSubjectAccessReview" } },
    );
  }
  const answer = resourceAttributes
    ? mayI(call, resourceAttributes)
    : mayRead(nonResourceAttributes?.path ?? "", nonResourceAttributes?.verb ?? "");
  return json(
    call,
    {
      kind: "SelfSubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: { creationTimestamp: null },
      spec: parsed.data.spec,
      status: { allowed: answer.allowed, ...(answer.allowed ? {} : { denied: true }), reason: answer.reason },
    },
    201,
  );
}

function mayRead(path: string, verb: string): Answer {
  const allowed = ["get", "head"].includes(verb) && READABLE_PATHS.test(path);
  return { allowed, reason: allowed ? "everybody who is signed in may read it" : `there is no ${verb} of ${path.slice(0, 100)}` };
}

function mayI(call: Call, attributes: Attributes): Answer {
  const { group = "", resource = "", subresource = "", verb = "" } = attributes;
  const { kinds } = call.dependencies.engine;
  if (resource === "*" || verb === "*") {
    // Everything: only when each single thing is.
    const resources = resource === "*" ? kinds.map(({ plural }) => plural) : [resource];
    const verbs = verb === "*" ? Object.keys(METHODS) : [verb];
    const wide = { ...attributes, group: group === "*" ? GROUP : group };
    const answers = resources.flatMap((one) => verbs.map((word) => mayI(call, { ...wide, resource: one, verb: word })));
    return answers.find(({ allowed }) => !allowed) ?? answers[0] ?? { allowed: false, reason: "there is nothing" };
  }
  if (group === "" && (resource === "namespaces" || resource === "events"))
    return ["get", "list", ...(resource === "events" ? ["watch"] : [])].includes(verb)
      ? { allowed: true, reason: "what the caller may see is shown" }
      : { allowed: false, reason: `nobody can ${verb} ${resource}` };
  if (group !== GROUP && group !== "*")
    return { allowed: false, reason: `there is no resource ${resource} in the group ${JSON.stringify(group)}` };
  const action = actionOf(kinds, { ...attributes, resource, subresource, verb });
  return "nobody" in action ? { allowed: false, reason: action.nobody } : verdict(call, action.verb, resource, attributes);
}

/** What the access policy would be asked, or why nobody can do it. */
type Question = { verb: Verb } | { nobody: string };

function actionOf(kinds: readonly AnyKind[], { namespace, resource = "", subresource = "", verb = "", name }: Attributes): Question {
  const method = Object.hasOwn(METHODS, verb) ? METHODS[verb] : undefined;
  if (!method) return isOwnVerb(verb) ? ownVerb(kinds, resource, verb) : { nobody: `there is no verb ${verb}` };
  const place = namespace || "default";
  if (namespaceFault(place) !== undefined) return { nobody: `there is no namespace ${place}` };
  const everywhere = !namespace && ["list", "watch"].includes(verb);
  const collection = subresource === "" && OF_COLLECTIONS.includes(verb);
  const path = everywhere
    ? [resource]
    : ["namespaces", place, resource, ...(collection ? [] : [name || "any", ...(subresource ? [subresource] : [])])];
  const action = routeOf(path, kinds)?.methods[method];
  if (!action || action.verb === "public" || action.verb === "identified")
    return { nobody: `nobody can ${verb} ${resource}${subresource ? `/${subresource}` : ""}` };
  return { verb: verb === "watch" ? "watch" : action.verb };
}

function routeOf(path: readonly string[], kinds: readonly AnyKind[]): Route | undefined {
  try {
    return kindRoute(path, kinds, path.join("/"));
  } catch (error) {
    if (error instanceof SetpointError) return undefined;
    throw error;
  }
}

const OWN_VERBS = ["control", "reconcile", "preview", "pause"] as const;
type OwnVerb = (typeof OWN_VERBS)[number];
const isOwnVerb = (verb: string): verb is OwnVerb => OWN_VERBS.some((own) => own === verb);

/** The product's own verbs can be asked for by their names too. */
function ownVerb(kinds: readonly AnyKind[], resource: string, verb: OwnVerb): Question {
  return kinds.some(({ plural }) => plural === resource) ? { verb } : { nobody: `there is no resource ${resource}` };
}

function verdict(call: Call, verb: Verb, plural: string, { namespace, name }: Attributes): Answer {
  const target = { plural, ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
  const decided = decideAccess(call.principal, verb, target);
  return decided.allowed ? { allowed: true, reason: "allowed by role" } : { allowed: false, reason: decided.message };
}

export { mayI };
