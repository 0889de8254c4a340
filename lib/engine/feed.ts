import { asSetpointError, SetpointError } from "@/lib/errors";
import type { Change, EngineStore } from "@/lib/store";

const BATCH = 1_000;

/** Reads the store's changes in commit order from a revision on. Calls during a run cause exactly one more. */
export class Feed {
  private cursor?: string;
  private reading?: Promise<void>;
  private again = false;

  constructor(
    private readonly store: Pick<EngineStore, "feed">,
    private readonly take: (change: Change) => void,
    /** Reads all that is held; what it answers takes it in and says where to go on. */
    private readonly whole: () => Promise<() => void>,
    private readonly log: (message: string) => void,
  ) {}

  /** What was just loaded is as of this revision: changes after it are read, again if need be. Taking one in twice changes nothing. */
  from(revision: string): void {
    if (this.cursor === undefined || BigInt(revision) < BigInt(this.cursor)) this.cursor = revision;
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
      const after: string = this.cursor;
      const { changes, revision } = await this.store.feed(after, BATCH).catch((error: unknown) => this.startOver(after, error));
      if (this.cursor !== after) continue;
      for (const change of changes) {
        this.take(change);
        this.cursor = change.resourceVersion;
      }
      this.cursor = revision;
      if (changes.length < BATCH) return;
    }
  }

  /** Changes after our position are no longer kept: reads everything whole, and goes on from there. Until that has worked, the position stays. */
  private async startOver(after: string, error: unknown): ReturnType<EngineStore["feed"]> {
    if (!(error instanceof SetpointError && error.reason === "Expired")) throw error;
    // Slices that are loaded meanwhile may be as of an earlier revision than ours will be: then it goes on from theirs.
    this.cursor = undefined;
    try {
      (await this.whole())();
    } catch (failure) {
      this.cursor = after;
      throw failure;
    }
    this.log(`engine: too long without the feed (${error.message}): all that is held was read again`);
    return { changes: [], revision: after };
  }
}
