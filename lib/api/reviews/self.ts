import { toIso } from "@/lib/clock";
import type { Call } from "../call";
import { json } from "../respond";
import { readReview, SELF_REVIEW } from "./body";

/** POST …/selfsubjectreviews: who asks, as this server knows them. */
export async function whoAmI(call: Call): Promise<Response> {
  await readReview(call, SELF_REVIEW);
  const { name, userId, groups = [] } = call.principal;
  const userInfo = { username: name, ...(userId ? { uid: userId } : {}), groups };
  const metadata = { creationTimestamp: toIso(call.now) };
  return json(call, { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1", metadata, status: { userInfo } }, 201);
}
