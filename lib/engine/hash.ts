import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { Action } from "@/lib/controller";
import type { PlannedAction } from "@/lib/resource";

/** SHA-256 over uid, generation and the canonical actions (RFC 8785): the identity of a plan, for approvals and comparisons. */
export function planHash(uid: string, generation: number, actions: readonly Action[]): string {
  return createHash("sha256")
    .update(canonicalize({ uid, generation, actions }) ?? "")
    .digest("hex");
}

/** What may be shown and stored of an action: everything but its input. */
export function published({ type, effect, target, reason, message }: Action): PlannedAction {
  return { type, effect, target, reason, message };
}
