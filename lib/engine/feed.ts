import { asSetpointError } from "@/lib/errors";
import type { Change, ResourceStore } from "@/lib/store";

const BATCH = 1_000;

/** Reads the store's changes in commit order from a revision on. Calls during a run cause exactly one more. */
export class Feed {
  private cursor?: string;
  private reading?: Promise<void>;
  private again = false;

  constructor(
    private readonly store: Pick<ResourceStore, "changesAfter">,
    private readonly take: (change: Change) => void,
    private readonly log: (message: string) => void,
  ) {}

  /** Where to begin; only the first call counts. */
  from(revision: string): void {
    this.cursor ??= revision;
  }

  /** Something may have changed: reads to the end. */
  drain(): void {
    if (this.reading) {
      this.again = true;
      return;
    }
    this.reading = this.read()
      .catch((error: unknown) => this.log(`engine: feed not read: ${asSetpointError(error).message}`))
      .finally(() => {
        this.reading = undefined;
        if (!this.again) return;
        this.again = false;
        this.drain();
      });
  }

  /** Resolves when no read is under way. */
  async idle(): Promise<void> {
    while (this.reading) await this.reading;
  }

  private async read(): Promise<void> {
    // Without a first load there is nothing that a change could apply to.
    while (this.cursor !== undefined) {
      const changes = await this.store.changesAfter(this.cursor, BATCH);
      for (const change of changes) {
        this.take(change);
        this.cursor = change.resourceVersion;
      }
      if (changes.length < BATCH) return;
    }
  }
}
