/** Rules of `control`: the operator's hand on the loop. */
import { z } from "zod";
import { fromIso, type Instant, toIso } from "@/lib/clock";
import type { Cause } from "@/lib/errors";
import { type Control, DEFAULT_CONTROL, type Pause } from "@/lib/resource";
import { causesOf, invalid, required } from "./faults";
import { textFault } from "./parse";

const submittedPause = z.strictObject({
  reason: z.string().max(500).optional(),
  until: z.string().max(64).nullish(),
  // The server's own: accepted and ignored, so that an object can be sent back as it was read.
  by: z.string().optional(),
  since: z.string().optional(),
});

/** What clients may send as `control`. */
export const submittedControl = z.strictObject({
  mode: z.enum(["Auto", "DryRun", "Observe"]).optional(),
  paused: submittedPause.nullish(),
  deletionPolicy: z.enum(["Delete", "Orphan"]).optional(),
  adopt: z.boolean().nullish(),
});

/** A date with a time and a zone, as RFC 3339 has it. */
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

export interface PauseContext {
  /** Who asks. */
  by: string;
  now: Instant;
}

/**
 * A pause as stored: `by` and `since` are the server's, and stay as they are while reason and end do. `field` is where it stands
 * in the request.
 */
export function admitPause(
  submitted: { reason?: string; until?: string | null },
  current: Pause | undefined,
  { by, now }: PauseContext,
  field = "control.paused",
): { pause: Pause; causes: Cause[] } {
  const causes: Cause[] = [];
  const reason = submitted.reason?.trim() ?? "";
  if (reason === "") causes.push(required(`${field}.reason`, "say why, for whoever finds it paused"));
  const fault = textFault(reason);
  if (fault !== undefined) causes.push(invalid(`${field}.reason`, fault));
  const until = submitted.until ?? undefined;
  const end = until === undefined || !RFC3339.test(until) ? undefined : fromIso(until);
  const same = current !== undefined && current.reason === reason && current.until === (end === undefined ? undefined : toIso(end));
  if (until !== undefined && end === undefined)
    causes.push(invalid(`${field}.until`, "must be a date and time such as 2031-05-04T10:00:00Z"));
  if (end !== undefined && end <= now && !same) causes.push(invalid(`${field}.until`, "must be in the future"));
  if (same && causes.length === 0) return { pause: current, causes };
  return { pause: { by, reason, since: toIso(now), ...(end === undefined ? {} : { until: toIso(end) }) }, causes };
}

/** `control` as it will be stored. Absent: what is stored stays. Present: it replaces what is stored, with defaults for what it leaves out. */
export function admitControl(raw: unknown, current: Control | undefined, context: PauseContext): { control: Control; causes: Cause[] } {
  if (raw === undefined || raw === null) return { control: current ?? DEFAULT_CONTROL, causes: [] };
  const parsed = submittedControl.safeParse(raw);
  if (!parsed.success)
    return { control: current ?? DEFAULT_CONTROL, causes: causesOf(parsed.error.issues, submittedControl, raw, "control") };
  const { mode, paused, deletionPolicy, adopt } = parsed.data;
  const admitted = paused ? admitPause(paused, current?.paused, context) : undefined;
  return {
    control: {
      mode: mode ?? DEFAULT_CONTROL.mode,
      deletionPolicy: deletionPolicy ?? DEFAULT_CONTROL.deletionPolicy,
      ...(admitted ? { paused: admitted.pause } : {}),
      ...(adopt ? { adopt: true } : {}),
    },
    causes: admitted?.causes ?? [],
  };
}
