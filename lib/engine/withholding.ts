import { SetpointError } from "@/lib/errors";
import { deepEqual, type Pause, type Resource } from "@/lib/resource";
import type { Contest, EngineStore } from "@/lib/store";

/** What keeps the loop from whole kinds and from single objects, and stands in no row of theirs: pauses of kinds, claims that another holds. */
export class Withholding {
  private kindPauses: Record<string, Pause> = {};
  private contests = new Map<string, Contest>();

  /** Reads both again. Tells for which resources something changed; undefined when nothing did. */
  async refresh(store: Pick<EngineStore, "kindPauses" | "contests">): Promise<((resource: Resource) => boolean) | undefined> {
    const [pauses, contests] = [this.kindPauses, this.contests];
    this.kindPauses = await store.kindPauses();
    this.contests = new Map((await store.contests()).map((contest) => [contest.uid, contest]));
    if (deepEqual(pauses, this.kindPauses) && deepEqual([...contests], [...this.contests])) return undefined;
    return ({ kind, metadata: { uid } }) =>
      !deepEqual(pauses[kind], this.kindPauses[kind]) || !deepEqual(contests.get(uid), this.contests.get(uid));
  }

  kindPause(kind: string): Pause | undefined {
    return this.kindPauses[kind];
  }

  /** The holder of what is claimed twice goes on; nothing is done for the other, but it can be deleted. */
  contestOf({ kind, metadata }: Resource): SetpointError | undefined {
    const contest = metadata.deletionTimestamp === undefined ? this.contests.get(metadata.uid) : undefined;
    if (!contest) return undefined;
    const { text, field, holder } = contest;
    // Who may read this report may not read another namespace: what is there has no name in it.
    const near = holder.namespace === metadata.namespace;
    const first = near ? `${holder.kind} ${holder.namespace}/${holder.name}` : `a ${holder.kind} of another namespace`;
    return new SetpointError(
      "Contested",
      `${text} is claimed by ${first}, which keeps it, and by ${kind} ${metadata.namespace}/${metadata.name} (${field}); delete one of them`,
      { wakeOn: `${near ? `${holder.kind}/${holder.name}` : first} lets go of it` },
    );
  }
}
