import type { Instant } from "@/lib/clock";
import type { Action, Plan } from "@/lib/controller";
import type { SetpointError } from "@/lib/errors";

/** How one pass ended. Exactly one exit turns it into status, queue and record. */
export type Outcome =
  | { type: "converged"; plan: Plan }
  /** One action was applied; reality is looked at again at once. */
  | { type: "corrected"; plan: Plan; action: Action }
  /** Not there yet and nothing to do but look again. */
  | { type: "waiting"; plan: Plan; reason: string; message: string; recheckAfterMs: number }
  /** Something keeps us from acting that is no failure. */
  | { type: "withheld"; plan: Plan; reason: "Paused" | "DryRun" | "Observe"; message: string; until?: string; wakeOn: string }
  | { type: "failed"; error: SetpointError; during: "observe" | "plan" | "apply"; plan?: Plan; action?: Action }
  /** Not looked at: the account it is on does not answer anybody. No failure of its own. */
  | { type: "held"; error: SetpointError; target: string; at: Instant }
  /** The facts moved under the pass (newer intent, lost lease): nothing is reported, the newest facts are looked at. */
  | { type: "outdated"; reason: string; plan?: Plan }
  /** Nothing is left outside, or it was given up on purpose: the object may leave. */
  | { type: "gone"; plan?: Plan; orphaned: boolean };
