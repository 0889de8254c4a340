/** Questions about oneself: who am I, and what may I do. Everybody may ask. */
import { notHere, type Route } from "../route";
import { accessReview } from "./access";
import { rulesReview } from "./rules";
import { whoAmI } from "./self";

const REVIEWS: Record<string, Route["methods"]> = {
  "authentication.k8s.io/selfsubjectreviews": { POST: { verb: "identified", run: whoAmI } },
  "authorization.k8s.io/selfsubjectaccessreviews": { POST: { verb: "identified", run: accessReview } },
  "authorization.k8s.io/selfsubjectrulesreviews": { POST: { verb: "identified", run: rulesReview } },
};

export function reviewRoute(group: string, [plural = "", ...more]: readonly string[], path: string): Route {
  const methods = REVIEWS[`${group}/${plural}`];
  if (!methods || more.length > 0) throw notHere(path);
  return { address: { resource: plural }, methods };
}
