import type { Instant } from "@/lib/clock";

export type Zone = "utc" | "local";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "12 s ago", "in 3 min": the largest unit only, for a glance. */
export function relativeText(at: Instant, now: Instant): string {
  const distance = now - at;
  if (Math.abs(distance) < 2 * SECOND) return "just now";
  const text = glance(Math.abs(distance));
  return distance > 0 ? `${text} ago` : `in ${text}`;
}

function glance(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** A length of time with two units at most: "840 ms", "1.4 s", "3 min 20 s", "2 d 4 h". */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return pair(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY) return pair(ms, HOUR, "h", MINUTE, "min");
  return pair(ms, DAY, "d", HOUR, "h");
}

function pair(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms - whole * large) / small);
  return rest === 0 ? `${whole} ${largeUnit}` : `${whole} ${largeUnit} ${rest} ${smallUnit}`;
}

/** What is left as a clock: "00:42", "1:04:10", "2 d 4 h"; undefined once nothing is left. Never negative. */
export function countdownText(leftMs: number): string | undefined {
  if (!(leftMs > 0)) return undefined;
  const seconds = Math.ceil(leftMs / SECOND);
  if (seconds * SECOND >= DAY) return durationText(seconds * SECOND);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: Zone, what: "day" | "time" | "minute" | "zone"): Intl.DateTimeFormat {
  const key = `${zone} ${what}`;
  const known = formats.get(key);
  if (known) return known;
  const timeZone = zone === "utc" ? "UTC" : undefined;
  const made = {
    // Swedish writes dates as ISO 8601 does.
    day: () => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }),
    time: () => new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium" }),
    minute: () => new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }),
    zone: () => new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "short" }),
  }[what]();
  formats.set(key, made);
  return made;
}

/** The name of the zone at that moment: "UTC", "CET", "GMT+5:30". */
export function zoneName(at: Instant, zone: Zone): string {
  return (
    format(zone, "zone")
      .formatToParts(at)
      .find((part) => part.type === "timeZoneName")?.value ?? "UTC"
  );
}

/** "2026-11-30 14:03:12 UTC": the zone is always named. */
export function absoluteText(at: Instant, zone: Zone): string {
  return `${format(zone, "day").format(at)} ${format(zone, "time").format(at)} ${zoneName(at, zone)}`;
}

/** "14:03:12 UTC", for what happens today. */
export function timeOfDayText(at: Instant, zone: Zone): string {
  return `${format(zone, "time").format(at)} ${zoneName(at, zone)}`;
}

/** "14:03" or, where a range spans days, "11-30": for the ticks of a chart whose zone is named beside it. */
export function tickText(at: Instant, zone: Zone, rangeMs: number): string {
  return rangeMs > 2 * DAY ? format(zone, "day").format(at).slice(5) : format(zone, "minute").format(at);
}
