import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { GROUP } from "@/lib/resource";
import type { Call } from "../call";
import { json } from "../respond";
import { mayI } from "./access";
import { RULES_REVIEW, readReview } from "./body";

const schema = z.object({ spec: z.object({ namespace: z.string().max(253).optional() }).optional() });

const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const PARTS = ["control", "events", "passes", "plan", "reconcile", "revisions", "scale", "status"];

/** POST …/selfsubjectrulesreviews: all that the caller may do in one namespace, each asked as if it were done. */
export async function rulesReview(call: Call): Promise<Response> {
  const parsed = schema.safeParse(await readReview(call, RULES_REVIEW));
  if (!parsed.success)
    throw new SetpointError("Invalid", 'SelfSubjectRulesReview.authorization.k8s.io "" is invalid: spec.namespace: must be text', {
      about: { group: "authorization.k8s.io", kind: "SelfSubjectRulesReview" },
    });
  const namespace = parsed.data.spec?.namespace || "default";
  const rule = (group: string, resource: string, subresource = "") => {
    const verbs = VERBS.filter((verb) => mayI(call, { group, resource, subresource, verb, namespace }).allowed);
    const whole = subresource === "" ? resource : `${resource}/${subresource}`;
    return verbs.length === 0 ? [] : [{ verbs, apiGroups: [group], resources: [whole] }];
  };
  const resourceRules = [
    ...call.dependencies.engine.kinds.flatMap(({ plural }) => [
      ...rule(GROUP, plural),
      ...PARTS.flatMap((part) => rule(GROUP, plural, part)),
    ]),
    ...rule("", "namespaces"),
    ...rule("", "events"),
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"] },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  ];
  const nonResourceRules = [
    {
      verbs: ["get"],
      nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"],
    },
  ];
  return json(
    call,
    {
      kind: "SelfSubjectRulesReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: { creationTimestamp: null },
      spec: {},
      status: { resourceRules, nonResourceRules, incomplete: false },
    },
    201,
  );
}
