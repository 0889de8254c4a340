/** One line of a list over all kinds. */
import { hideSecrets } from "@/lib/policies/admission";
import { type Resource, type State, viewOf } from "@/lib/resource";
import type { ViewFacts } from "@/lib/store/console";
import type { AnyKind } from "../call";
import type { ResourceRow } from "../contract";
import { freshnessFrom } from "../freshness";

/** A row is at most about 1 KB: sentences are for the list, the whole text is on the detail page. */
const LONGEST_TEXT = 240;

const shorten = (text: string) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text);

export function rowOf(resource: Resource, state: State, kinds: ReadonlyMap<string, AnyKind>, facts: ViewFacts): ResourceRow {
  const { kind, metadata, control, status, spec } = resource;
  const known = kinds.get(kind);
  const lease = facts.leases.find((candidate) => candidate.slice === resource.slice);
  const freshness = freshnessFrom(resource, known, lease, facts.now);
  const view = viewOf(resource, freshness, facts.now, { kindPaused: facts.kindPauses[kind] });
  const host = known?.hostBound ? hideSecrets(spec.host ?? null) : null;
  return {
    uid: metadata.uid,
    kind,
    plural: known?.plural ?? kind.toLowerCase(),
    namespace: metadata.namespace,
    name: metadata.name,
    labels: metadata.labels ?? {},
    generation: metadata.generation,
    observedGeneration: status?.observedGeneration ?? 0,
    // The store's word, so that a row never contradicts the filter that found it.
    state,
    health: view.health,
    reason: view.reason,
    message: shorten(view.message),
    ...(view.notActing ? { notActing: shorten(view.notActing) } : {}),
    mode: control.mode,
    ...(control.paused ? { paused: control.paused } : {}),
    driftCount: status?.drift?.count ?? 0,
    attempts: status?.attempts ?? 0,
    ...(view.nextAttemptAt ? { nextAttemptAt: view.nextAttemptAt } : {}),
    ...(status?.lastConvergedAt ? { lastConvergedAt: status.lastConvergedAt } : {}),
    createdAt: metadata.creationTimestamp,
    deleting: metadata.deletionTimestamp !== undefined,
    ...(typeof host === "string" ? { host } : {}),
    resourceVersion: metadata.resourceVersion,
  };
}
