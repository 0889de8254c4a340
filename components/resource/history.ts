import type { ApiObject, RevisionEntry } from "@/lib/api/contract";
import type { Draft } from "@/lib/client";
import { type Difference, diffJson, type JsonObject } from "@/lib/resource";

/** From the older to the newer of two revisions, whichever way round they were chosen. `actual` is the older value. */
export function compareRevisions(a: RevisionEntry, b: RevisionEntry): { from: RevisionEntry; to: RevisionEntry; diff: Difference[] } {
  const [from, to] = a.generation <= b.generation ? [a, b] : [b, a];
  return { from, to, diff: diffJson(from.spec, to.spec, "spec") };
}

/** What brings back the spec of a revision: today's object, pinned to the version seen, with the old spec. Control is left out, so that it stays. */
export function revertDraft({ apiVersion, kind, metadata }: ApiObject, revision: RevisionEntry): Draft {
  const { name, namespace, labels, annotations, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations, resourceVersion }, spec: revision.spec };
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

/** What is stored of an object, without what the server computes for each reader, and without who owns what: the State tab tells that. */
export function withoutComputed(object: ApiObject): JsonObject {
  const { view: _view, freshness: _freshness, metadata, ...stored } = object;
  const { managedFields: _managedFields, ...shown } = metadata;
  const { apiVersion, kind, ...rest } = stored;
  return JSON.parse(JSON.stringify({ apiVersion, kind, metadata: shown, ...rest }));
}
