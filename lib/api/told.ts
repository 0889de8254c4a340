/**
 * What each caller was last told of when an object was looked at. A dry-run is compared with what was read before it (`kubectl diff` reads, tries
 * and compares): a look in between, which is no change of the object, must not be told as one.
 */
import type { Clock } from "@/lib/clock";
import type { Freshness, Resource } from "@/lib/resource";

const KEPT_MS = 60_000;
const MOST = 1_000;

export class Told {
  /** The oldest first. */
  private readonly kept = new Map<string, { version: string; freshness: Freshness; at: number }>();

  constructor(private readonly clock: Clock) {}

  remember(caller: string, { metadata }: Resource, freshness: Freshness): void {
    const key = `${metadata.uid}/${caller}`;
    this.kept.delete(key);
    this.kept.set(key, { version: metadata.resourceVersion, freshness, at: this.clock.monotonic() });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST && oldest !== undefined) this.kept.delete(oldest);
  }

  /** Undefined unless the caller has read this version of the object within the last minute, from this process. */
  recall(caller: string, { metadata }: Resource): Freshness | undefined {
    const entry = this.kept.get(`${metadata.uid}/${caller}`);
    const counts = entry?.version === metadata.resourceVersion && this.clock.monotonic() - entry.at <= KEPT_MS;
    return counts ? entry.freshness : undefined;
  }
}
