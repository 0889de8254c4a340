import type { Tone } from "@/components/ui/badge";
import type { Health, Mode, State } from "@/lib/resource";

/** The shapes a state is drawn with; each state has its own, so that colour is never needed to tell them apart. */
export type StatusShape =
  | "check"
  | "dashed-check"
  | "turning"
  | "difference"
  | "hourglass"
  | "timer"
  | "octagon"
  | "pause"
  | "bin"
  | "blind"
  | "heart"
  | "triangle"
  | "slash"
  | "question";

export interface StatusLook {
  label: string;
  tone: Tone;
  shape: StatusShape;
  /** What the word means, one sentence. */
  meaning: string;
}

const STATE_LOOKS: Record<State, StatusLook> = {
  Converged: { label: "Converged", tone: "ok", shape: "check", meaning: "Reality was looked at and matches the intent." },
  Progressing: { label: "Progressing", tone: "info", shape: "turning", meaning: "The loop is working towards the intent." },
  Drifted: {
    label: "Drifted",
    tone: "drift",
    shape: "difference",
    meaning: "Reality differs from the intent and the loop is not allowed to act.",
  },
  Blocked: { label: "Blocked", tone: "warn", shape: "hourglass", meaning: "Something else has to be in order first." },
  BackingOff: { label: "Backing off", tone: "warn", shape: "timer", meaning: "The last attempt failed; the next one has its time." },
  Failed: { label: "Failed", tone: "bad", shape: "octagon", meaning: "It keeps failing or cannot succeed without a change." },
  Paused: { label: "Paused", tone: "calm", shape: "pause", meaning: "Somebody paused it: it is looked at and never acted on." },
  Deleting: { label: "Deleting", tone: "calm", shape: "bin", meaning: "What it made outside is being removed." },
  Stale: { label: "Stale", tone: "calm", shape: "blind", meaning: "Nobody has looked for too long: the last known report is shown." },
};

const HANDS_OFF_LOOKS: Record<Exclude<Mode, "Auto">, StatusLook> = {
  DryRun: {
    label: "Matches (dry-run)",
    tone: "calm",
    shape: "dashed-check",
    meaning: "Reality matches the intent; in dry-run nothing would be corrected.",
  },
  Observe: {
    label: "Matches (observed)",
    tone: "calm",
    shape: "dashed-check",
    meaning: "Reality matches the intent; it is only observed, nothing would be corrected.",
  },
};

/** How a state is drawn. What nobody keeps in order (paused, dry-run, observed, stale) is never green. */
export function stateLook(state: State, mode: Mode = "Auto"): StatusLook {
  return state === "Converged" && mode !== "Auto" ? HANDS_OFF_LOOKS[mode] : STATE_LOOKS[state];
}

const HEALTH_LOOKS: Record<Health, StatusLook> = {
  Healthy: { label: "Healthy", tone: "ok", shape: "heart", meaning: "The outside thing works." },
  Degraded: { label: "Degraded", tone: "warn", shape: "triangle", meaning: "The outside thing is there and does not fully work." },
  Missing: { label: "Missing", tone: "bad", shape: "slash", meaning: "The outside thing is not there." },
  Unknown: { label: "Unknown", tone: "calm", shape: "question", meaning: "How the outside thing is, is not known now." },
};

/** How a health is drawn. Beside a state that is not kept in order, healthy is said without green. */
export function healthLook(health: Health, state?: State, mode: Mode = "Auto"): StatusLook {
  const look = HEALTH_LOOKS[health];
  const unattended = state === "Paused" || state === "Stale" || mode !== "Auto";
  return unattended && look.tone === "ok" ? { ...look, tone: "calm" } : look;
}
