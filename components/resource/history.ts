import type { ApiObject, RevisionEntry } from "@/lib/api/contract";
import { type Difference, diffJson, type JsonObject } from "@/lib/resource";

/** From the older to the newer of two revisions, whichever way round they were chosen. `actual` is the older value. */
export function compareRevisions(a: RevisionEntry, b: RevisionEntry): { from: RevisionEntry; to: RevisionEntry; diff: Difference[] } {
  const [from, to] = a.generation <= b.generation ? [a, b] : [b, a];
  return { from, to, diff: diffJson(from.spec, to.spec, "spec") };
}

/** What an update must send to bring back the spec of a revision: today's object, pinned to the version seen, with the old spec. */
export function revertObject(
  current: ApiObject,
  revision: RevisionEntry,
): Pick<ApiObject, "apiVersion" | "kind" | "metadata" | "spec" | "control"> {
  const { apiVersion, kind, metadata, control } = current;
  return { apiVersion, kind, metadata, control, spec: revision.spec };
}

/** Paths below `spec` that match a kind's secret patterns (`values.*`). */
export function touchesSecrets(diff: readonly Difference[], secretFields: readonly string[]): boolean {
  return diff.some(({ path }) => secretFields.some((pattern) => matches(`spec.${pattern}`, path)));
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split(".");
  const steps = path.split(".");
  // A difference may be reported at the secret itself, or at the map that holds it.
  return steps.every((step, index) => wanted[index] === undefined || wanted[index] === "*" || wanted[index] === step);
}

/** Bars of the chart "time to converge": oldest first, only revisions that were measured. */
export function convergenceBars(revisions: readonly RevisionEntry[], limit = 40): { generation: number; ms: number; message: string }[] {
  return revisions
    .filter((revision) => revision.timeToConvergeMs !== undefined)
    .slice(0, limit)
    .map(({ generation, timeToConvergeMs = 0, message }) => ({ generation, ms: timeToConvergeMs, message }))
    .reverse();
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** An object's own parts for YAML: what is computed when read stands in `status`' company, not in intent. */
export function withoutComputed(object: ApiObject): JsonObject {
  const { view: _view, freshness: _freshness, ...stored } = object;
  return JSON.parse(JSON.stringify(stored));
}
