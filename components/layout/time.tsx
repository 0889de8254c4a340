"use client";

import { cn } from "@/components/ui/class-names";
import { absoluteText, countdownText, relativeText, timeOfDayText } from "@/components/ui/time-format";
import { useServerNow } from "@/lib/client";
import { fromIso } from "@/lib/clock";
import { usePreference } from "./preferences";

interface TimeProps {
  /** ISO 8601; absent when it never happened. */
  at: string | null | undefined;
  /** Shown when there is no time. */
  never?: string;
  className?: string;
}

/** "3 min ago", with the absolute time and its zone in the tooltip and in `dateTime`. */
export function RelativeTime({ at, never = "never", className }: TimeProps) {
  const [zone] = usePreference("zone");
  const now = useServerNow();
  const instant = fromIso(at);
  if (!at || instant === undefined) return <span className={cn("text-muted", className)}>{never}</span>;
  const absolute = absoluteText(instant, zone);
  return (
    <time dateTime={at} title={absolute} className={cn("nums whitespace-nowrap", className)}>
      {now === 0 ? absolute : relativeText(instant, now)}
    </time>
  );
}

/** "2026-11-30 14:03:12 UTC", in the zone the person chose. */
export function AbsoluteTime({ at, never = "never", className, timeOnly = false }: TimeProps & { timeOnly?: boolean }) {
  const [zone] = usePreference("zone");
  const instant = fromIso(at);
  if (!at || instant === undefined) return <span className={cn("text-muted", className)}>{never}</span>;
  return (
    <time dateTime={at} className={cn("nums", className)} suppressHydrationWarning>
      {timeOnly ? timeOfDayText(instant, zone) : absoluteText(instant, zone)}
    </time>
  );
}

interface CountdownProps {
  /** ISO 8601, by the server's clock. */
  to: string;
  /** Shown once the moment has come. */
  due?: string;
  /** Words before the clock, left out once it is due: "in ". */
  before?: string;
  className?: string;
}

/** Counts down to a moment of the server's clock; never negative, at zero it says that it is due. */
export function Countdown({ to, due = "due", before = "", className }: CountdownProps) {
  const [zone] = usePreference("zone");
  const now = useServerNow();
  const instant = fromIso(to);
  if (instant === undefined) return null;
  const absolute = absoluteText(instant, zone);
  const left = countdownText(instant - now);
  return (
    <time dateTime={to} title={absolute} role="timer" aria-live="off" className={cn("nums whitespace-nowrap", className)}>
      {now === 0 ? absolute : left === undefined ? due : `${before}${left}`}
    </time>
  );
}
