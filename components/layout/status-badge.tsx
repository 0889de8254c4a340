import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleQuestionMark,
  CircleSlash,
  Diff,
  EyeOff,
  HeartPulse,
  Hourglass,
  type LucideIcon,
  OctagonX,
  RefreshCw,
  Timer,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import { Badge } from "@/components/ui/badge";
import type { Health, Mode, State } from "@/lib/resource";
import { healthLook, type StatusLook, type StatusShape, stateLook } from "./status-look";

const ICONS: Record<StatusShape, LucideIcon> = {
  check: CircleCheck,
  "dashed-check": CircleDashed,
  turning: RefreshCw,
  difference: Diff,
  hourglass: Hourglass,
  timer: Timer,
  octagon: OctagonX,
  pause: CirclePause,
  bin: Trash2,
  blind: EyeOff,
  heart: HeartPulse,
  triangle: TriangleAlert,
  slash: CircleSlash,
  question: CircleQuestionMark,
};

/** Only the icon of a look, where the word stands beside it anyway. */
export function StatusIcon({ look, className }: { look: StatusLook; className?: string }) {
  const Icon = ICONS[look.shape];
  return <Icon aria-hidden className={className} />;
}

export interface StatusBadgeProps {
  state: State;
  /** The mode matters: what is only observed is never green. */
  mode?: Mode;
  className?: string;
}

/** The state of a resource: shape, word and colour, the same on every page. */
export function StatusBadge({ state, mode, className }: StatusBadgeProps) {
  const look = stateLook(state, mode);
  return <LookBadge look={look} className={`${state === "Stale" ? "hatched" : ""} ${className ?? ""}`} data-state={state} />;
}

export interface HealthBadgeProps {
  health: Health;
  state?: State;
  mode?: Mode;
  className?: string;
}

/** The second axis: how the outside thing is. */
export function HealthBadge({ health, state, mode, className }: HealthBadgeProps) {
  return <LookBadge look={healthLook(health, state, mode)} className={className} data-health={health} />;
}

function LookBadge({ look, className, ...rest }: { look: StatusLook; className?: string; "data-state"?: string; "data-health"?: string }) {
  return (
    <Badge tone={look.tone} title={look.meaning} className={className} {...rest}>
      <StatusIcon look={look} />
      {look.label}
    </Badge>
  );
}

const MODE_WORD: Record<Mode, string> = { Auto: "Auto", DryRun: "Dry-run", Observe: "Observe" };
const MODE_MEANING: Record<Mode, string> = {
  Auto: "The loop corrects what differs.",
  DryRun: "The loop makes the plan, shows it and never applies it.",
  Observe: "The loop looks and makes no plan.",
};

/** The mode of a resource in words. */
export function ModeBadge({ mode, className }: { mode: Mode; className?: string }) {
  return (
    <Badge tone={mode === "Auto" ? "neutral" : "drift"} title={MODE_MEANING[mode]} className={className} data-mode={mode}>
      {MODE_WORD[mode]}
    </Badge>
  );
}
