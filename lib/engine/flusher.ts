import type { Clock } from "@/lib/clock";
import type { EngineStore, Report } from "@/lib/store";

/** Reports written in one transaction at most. */
const BATCH = 1_000;
const RETRY_MS = 1_000;

/**
 * Group commit of what passes leave behind: one write in flight, the next takes all that came meanwhile, so that low load has no
 * added delay and high load few transactions. Only the newest status of a resource is written. Nothing is lost while the store is away.
 */
export class Flusher {
  private pending: Report[] = [];
  private flushing?: Promise<void>;
  private waiters: (() => void)[] = [];

  constructor(
    private readonly store: Pick<EngineStore, "report">,
    private readonly clock: Clock,
    private readonly onDropped: (uids: string[]) => void,
    /** There is less to write than before. */
    private readonly onWritten: () => void,
    private readonly log: (message: string) => void,
  ) {}

  push(report: Report): void {
    this.pending.push(report);
    this.flushing ??= this.run();
  }

  /** Sends one batch until there is an answer: nothing of it is written, or all of it was and the answer got lost. The store knows by its name. */
  private async write(batch: Report[]): ReturnType<EngineStore["report"]> {
    const name = `${this.clock.now()}/${this.clock.random()}`;
    for (;;) {
      try {
        return await this.store.report(batch, name);
      } catch (error) {
        this.log(`engine: reports could not be written, trying again: ${error instanceof Error ? error.message : String(error)}`);
        await this.clock.sleep(RETRY_MS);
      }
    }
  }

  /** A status of it waits to be written. */
  holds(uid: string): boolean {
    return this.pending.some((report) => report.uid === uid && report.status !== undefined);
  }

  get backlog(): number {
    return this.pending.length;
  }

  /** Resolves when all that was pushed is durable (or was dropped by a fence). */
  idle(): Promise<void> {
    if (!this.flushing) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private async run(): Promise<void> {
    while (this.pending.length > 0) {
      const batch = this.pending.slice(0, BATCH);
      const { dropped } = await this.write(newestStatusOnly(batch));
      this.pending.splice(0, batch.length);
      this.onWritten();
      if (dropped.length > 0) this.onDropped(dropped);
    }
    this.flushing = undefined;
    for (const done of this.waiters.splice(0)) done();
  }
}

/** Earlier statuses of a uid are dropped, their passes and events kept. */
export function newestStatusOnly(reports: Report[]): Report[] {
  const seen = new Set<string>();
  const kept: Report[] = [];
  for (const report of [...reports].reverse()) {
    const { status, ...rest } = report;
    kept.push(status && !seen.has(report.uid) ? report : rest);
    if (status) seen.add(report.uid);
  }
  return kept.reverse();
}
