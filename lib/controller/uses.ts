/** Objects that need another one: those that name it in their spec. */
import type { Resource } from "@/lib/resource";
import type { Kind } from "./index";

/** More that only mention its name are not looked through. */
const MOST_CANDIDATES = 1_000;

/** Of a namespace, the objects of these kinds in whose spec a text stands somewhere. */
export type Mentioning = (namespace: string, kinds: string[], text: string, limit: number) => Promise<Resource[]>;

/** Who names this object, in whatever state: one that is being deleted may need it for that. The object itself does not count. */
export async function usersOf(
  { kind, metadata }: Resource,
  kinds: readonly Pick<Kind<Resource["spec"]>, "name" | "references">[],
  mentioning: Mentioning,
): Promise<Resource[]> {
  const referring = new Map(kinds.filter((each) => each.references).map((each) => [each.name, each]));
  if (referring.size === 0) return [];
  const candidates = await mentioning(metadata.namespace, [...referring.keys()], metadata.name, MOST_CANDIDATES);
  return candidates.filter(
    (candidate) =>
      candidate.metadata.uid !== metadata.uid &&
      referring
        .get(candidate.kind)
        ?.references?.(candidate.spec)
        .some((reference) => reference.kind === kind && reference.name === metadata.name),
  );
}
