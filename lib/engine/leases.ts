import { type Cancel, type Clock, toIso } from "@/lib/clock";
import type { EngineStore, Fence } from "@/lib/store";
import { oldestLooks, type Slot } from "./slot";

/** Part of the term that a holder uses itself; the rest is the margin for calls already begun. */
const HOLDERS_SHARE = 0.8;

export interface LeaseEvents {
  /** Now ours under a new epoch: load it whole. */
  gained(fence: Fence): Promise<void>;
  lost(slice: string): void;
}

/**
 * Holds the slices this worker may act on. Expiry is decided by the database's clock; the holder stops by its own monotonic clock,
 * counted from before each request, so that it is always the first to know.
 */
export class Leases {
  private readonly held = new Map<string, { fence: Fence; deadline: number }>();
  private cancel: Cancel = () => {};
  private closed = false;

  constructor(
    private readonly store: Pick<EngineStore, "renewLeases" | "releaseLeases">,
    private readonly clock: Clock,
    private readonly holder: string,
    private readonly slices: string[],
    private readonly ttlMs: number,
    private readonly slots: () => Iterable<Slot>,
    private readonly events: LeaseEvents,
    private readonly log: (message: string) => void,
  ) {}

  /** Renews once and goes on doing so. */
  async start(): Promise<void> {
    await this.renew().catch((error: unknown) =>
      this.log(`engine: leases not taken yet: ${error instanceof Error ? error.message : String(error)}`),
    );
    const again = () => {
      if (this.closed) return;
      this.cancel = this.clock.after(this.ttlMs / 3, () => {
        this.renew()
          .catch((error: unknown) => this.log(`engine: leases not renewed: ${error instanceof Error ? error.message : String(error)}`))
          .finally(again);
      });
    };
    again();
  }

  /** The fence under which that slice may be written now; undefined when it may not. */
  fence(slice: string): Fence | undefined {
    const lease = this.held.get(slice);
    return lease && this.clock.monotonic() < lease.deadline ? lease.fence : undefined;
  }

  holds(slice: string): boolean {
    return this.held.has(slice);
  }

  get heldSlices(): string[] {
    return [...this.held.keys()];
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancel();
    this.held.clear();
    await this.store.releaseLeases(this.holder);
  }

  private async renew(): Promise<void> {
    const sentAt = this.clock.monotonic();
    const fences = await this.store.renewLeases(this.holder, this.slices, this.ttlMs, this.looks());
    if (this.closed) return;
    const deadline = sentAt + this.ttlMs * HOLDERS_SHARE;
    const granted = new Map(fences.map((fence) => [fence.slice, fence]));
    for (const slice of this.heldSlices) {
      if (granted.has(slice)) continue;
      this.held.delete(slice);
      this.log(`engine: lease of ${slice} lost`);
      this.events.lost(slice);
    }
    for (const fence of fences) {
      const before = this.held.get(fence.slice);
      this.held.set(fence.slice, { fence, deadline });
      if (before?.fence.epoch === fence.epoch) continue;
      this.log(`engine: lease of ${fence.slice} held, epoch ${fence.epoch}`);
      try {
        await this.events.gained(fence);
      } catch (error) {
        // Not loaded is not held: the next renewal tries again.
        this.held.delete(fence.slice);
        throw error;
      }
    }
  }

  private looks(): Record<string, Record<string, string>> {
    const looks: Record<string, Record<string, string>> = {};
    for (const [slice, kinds] of oldestLooks(this.slots())) {
      looks[slice] = {};
      for (const [kind, instant] of kinds) if (instant !== undefined) looks[slice][kind] = toIso(instant);
    }
    return looks;
  }
}
