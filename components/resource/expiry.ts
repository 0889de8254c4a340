import { type Instant, toIso } from "@/lib/clock";

const HOUR_MS = 3_600_000;

/** How long a pause lasts. It ends by itself unless somebody says otherwise on purpose. */
export const EXPIRIES = [
  { value: "1h", label: "1 hour", ms: HOUR_MS },
  { value: "4h", label: "4 hours", ms: 4 * HOUR_MS },
  { value: "24h", label: "1 day", ms: 24 * HOUR_MS },
  { value: "7d", label: "7 days", ms: 7 * 24 * HOUR_MS },
  { value: "at", label: "Until…", ms: undefined },
  { value: "never", label: "Until resumed", ms: undefined },
] as const;
export type Expiry = (typeof EXPIRIES)[number]["value"];
export const DEFAULT_EXPIRY: Expiry = "4h";

export const PAUSE_REASONS = ["Maintenance", "Investigating an incident", "Manual change in progress", "Waiting for a release"] as const;

/** The end of a pause that begins now; undefined means it has none. */
export function expiryIso(expiry: Expiry, now: Instant, chosen?: string): string | undefined {
  if (expiry === "never") return undefined;
  if (expiry === "at") {
    const at = chosen ? Date.parse(chosen) : Number.NaN;
    return Number.isNaN(at) ? undefined : toIso(at);
  }
  const ms = EXPIRIES.find((option) => option.value === expiry)?.ms ?? 0;
  return toIso(now + ms);
}

/** What is wrong with the form, one sentence; undefined when it can be sent. */
export function pauseProblem(
  reason: string,
  expiry: Expiry,
  now: Instant,
  chosen?: string,
): { field: "reason" | "until"; message: string } | undefined {
  if (reason.trim() === "") return { field: "reason", message: "Say why, so that others know whether they may resume it." };
  if (expiry !== "at") return undefined;
  const until = expiryIso(expiry, now, chosen);
  if (!until) return { field: "until", message: "Choose a date and a time." };
  return Date.parse(until) <= now ? { field: "until", message: "The end must lie in the future." } : undefined;
}
