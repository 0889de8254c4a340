import type { EventEntry, PassEntry, RevisionEntry } from "@/lib/api/contract";
import type { Control } from "@/lib/resource";

/** What the timeline can be filtered by. */
export const TIMELINE_TYPES = ["edit", "pass", "error", "event", "control"] as const;
export type TimelineType = (typeof TIMELINE_TYPES)[number];

interface Entry {
  id: string;
  /** ISO 8601. */
  at: string;
}
export type TimelineEntry = Entry &
  (
    | { type: "edit"; revision: RevisionEntry }
    /** Passes in a row with the same outcome, newest first; all but the newest are folded away and never lost. A pause shows as control. */
    | { type: "pass" | "error" | "control"; pass: PassEntry; earlier: PassEntry[] }
    /** Passes in a row that found nothing to do. */
    | { type: "pass"; quiet: PassEntry[] }
    | { type: "event"; event: EventEntry }
    | { type: "control"; reason: string; message: string }
  );

export interface TimelineSources {
  revisions: readonly RevisionEntry[];
  passes: readonly PassEntry[];
  events: readonly EventEntry[];
  control?: Control;
}

/** Reasons of events that tell of the operator's hand on the loop. */
const CONTROL_REASONS = new Set(["Paused", "Resumed", "PauseEnded", "ModeChanged", "ControlChanged", "ReconcileRequested"]);

export function passFailed(pass: PassEntry): boolean {
  return pass.outcome === "failed" || pass.actions.some((action) => action.outcome === "failed");
}

function heldByPause(pass: PassEntry): boolean {
  return pass.outcome === "withheld" && pass.reason === "Paused";
}

function passQuiet(pass: PassEntry): boolean {
  return pass.outcome === "converged" && pass.actions.length === 0;
}

/** Everything that happened to one object, newest first. Pure: the same sources give the same list. */
export function mergeTimeline(sources: TimelineSources): TimelineEntry[] {
  const told = new Set(sources.passes.flatMap((pass) => [pass.message, ...pass.actions.map((action) => action.message)]));
  const entries: TimelineEntry[] = [
    ...sources.revisions.map((revision) => ({
      id: `edit-${revision.generation}`,
      at: revision.at,
      type: "edit" as const,
      revision,
    })),
    ...foldPasses(sources.passes),
    // An event that only repeats what a pass says in full would double every line.
    ...sources.events.filter((event) => !told.has(event.message)).map(eventEntry),
    ...pauseInSources(sources),
  ];
  return entries.sort(newestFirst);
}

function isControl(event: EventEntry): boolean {
  return CONTROL_REASONS.has(event.reason);
}

function eventEntry(event: EventEntry): TimelineEntry {
  const id = `event-${event.reason}-${event.firstAt}-${event.message}`;
  if (isControl(event)) return { id, at: event.at, type: "control", reason: event.reason, message: event.message };
  return { id, at: event.at, type: "event", event };
}

/** The pause in force belongs on the timeline even when neither pass nor event tells of it. */
function pauseInSources({ control, events, passes }: TimelineSources): TimelineEntry[] {
  const pause = control?.paused;
  if (!pause || events.some((event) => event.reason === "Paused" && event.at >= pause.since)) return [];
  if (passes.some((pass) => heldByPause(pass) && pass.startedAt >= pause.since)) return [];
  const until = pause.until ? ` until ${pause.until}` : "";
  return [
    { id: `pause-${pause.since}`, at: pause.since, type: "control", reason: "Paused", message: `${pause.by}: ${pause.reason}${until}` },
  ];
}

/** Passes newest first, with runs of the same outcome folded under the newest of the run. */
export function foldPasses(passes: readonly PassEntry[]): TimelineEntry[] {
  const sorted = [...passes].sort((a, b) => compareText(b.startedAt, a.startedAt) || Number(b.id) - Number(a.id));
  const entries: TimelineEntry[] = [];
  let run: PassEntry[] = [];
  const close = () => {
    const [newest, ...earlier] = run;
    if (!newest) return;
    const entry = { id: `pass-${newest.id}`, at: newest.startedAt };
    if (passQuiet(newest)) entries.push({ ...entry, type: "pass", quiet: run });
    else entries.push({ ...entry, type: passFailed(newest) ? "error" : heldByPause(newest) ? "control" : "pass", pass: newest, earlier });
    run = [];
  };
  for (const pass of sorted) {
    const newest = run[0];
    if (newest && !sameStory(newest, pass)) close();
    run.push(pass);
  }
  close();
  return entries;
}

/** Two passes tell the same: both quiet, or the same failure of the same intent. A pass that changed something stands alone. */
function sameStory(a: PassEntry, b: PassEntry): boolean {
  if (passQuiet(a) || passQuiet(b)) return passQuiet(a) && passQuiet(b);
  if (a.generation !== b.generation || a.outcome !== b.outcome || a.reason !== b.reason || a.message !== b.message) return false;
  return passFailed(a) && passFailed(b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** At the same instant the cause (an edit, the operator's hand) stands below what followed from it. */
const RANK: Record<TimelineType, number> = { error: 0, pass: 0, event: 1, control: 2, edit: 3 };

function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  return compareText(b.at, a.at) || RANK[a.type] - RANK[b.type] || compareText(a.id, b.id);
}

/** How many there are of each type, for the filter. */
export function countTypes(entries: readonly TimelineEntry[]): Record<TimelineType, number> {
  const counts: Record<TimelineType, number> = { edit: 0, pass: 0, error: 0, event: 0, control: 0 };
  for (const entry of entries) counts[entry.type] += 1;
  return counts;
}

/** The run of failures that is going on: nothing succeeded since. Undefined when the newest pass did not fail. */
export function failingNow(entries: readonly TimelineEntry[]): Extract<TimelineEntry, { pass: PassEntry }> | undefined {
  const newest = entries.find((entry) => entry.type === "pass" || entry.type === "error");
  return newest && "pass" in newest && newest.type === "error" ? newest : undefined;
}
