import type { Clock } from "@/lib/clock";
import type { EngineStore, Report } from "@/lib/store";

const LARGEST_BATCH = 1_000;
/** So many are on their way at once, so that the store has the next one when it is done with one. */
const LINES = 2;
/** With less than this part of a batch it is not worth a second one: they wait for the first, and go together. */
const WORTH_A_LINE = 0.5;
const RETRY_MS = 1_000;

/** A batch on its way. */
interface Line {
  batch: Report[];
  uids: ReadonlySet<string>;
}

/**
 * Group commit of what passes leave behind: what comes while a batch is on its way goes together, so that low load has no added delay
 * and high load few transactions. Reports of one object are written in their order, never from two batches at once. Only the newest
 * status of a resource is written. Nothing is lost while the store is away.
 */
export class Flusher {
  private pending: Report[] = [];
  /** What has an earlier one on its way. */
  private held: Report[] = [];
  private readonly lines: (Line | undefined)[] = Array.from({ length: LINES }, () => undefined);
  private waiters: (() => void)[] = [];

  constructor(
    private readonly store: Pick<EngineStore, "report">,
    private readonly clock: Clock,
    private readonly onDropped: (uids: string[]) => void,
    /** There is less to write than before. */
    private readonly onWritten: () => void,
    private readonly log: (message: string) => void,
    /** Reports written in one transaction at most. */
    private readonly largestBatch = LARGEST_BATCH,
  ) {}

  push(report: Report): void {
    (this.isUnderWay(report) ? this.held : this.pending).push(report);
    this.flush();
  }

  /** A status of it waits to be written. */
  holds(uid: string): boolean {
    const lists = [this.pending, this.held, ...this.lines.map((line) => line?.batch ?? [])];
    return lists.some((reports) => reports.some((report) => report.uid === uid && report.status !== undefined));
  }

  get backlog(): number {
    return this.lines.reduce((sum, line) => sum + (line?.batch.length ?? 0), this.pending.length + this.held.length);
  }

  /** Resolves when all that was pushed is durable (or was dropped by a fence). */
  idle(): Promise<void> {
    if (this.backlog === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private flush(): void {
    const free = this.lines.indexOf(undefined);
    const alone = this.lines.every((line) => line === undefined);
    if (free < 0 || this.pending.length < (alone ? 1 : this.largestBatch * WORTH_A_LINE)) return;
    const batch = this.pending.splice(0, this.largestBatch);
    this.lines[free] = { batch, uids: new Set(batch.map(({ uid }) => uid)) };
    this.sort();
    void this.send(free, batch);
  }

  private isUnderWay = ({ uid }: Report): boolean => this.lines.some((line) => line?.uids.has(uid));

  /** Of one object all that waits stands in one of the two lists. */
  private sort(): void {
    const waiting = [...this.held, ...this.pending];
    this.held = waiting.filter(this.isUnderWay);
    this.pending = waiting.filter((report) => !this.isUnderWay(report));
  }

  private async send(line: number, batch: Report[]): Promise<void> {
    const { dropped } = await this.write(line, newestStatusOnly(batch));
    this.lines[line] = undefined;
    this.sort();
    this.flush();
    this.onWritten();
    if (dropped.length > 0) this.onDropped(dropped);
    if (this.backlog === 0) for (const done of this.waiters.splice(0)) done();
  }

  /** Sends one batch until there is an answer: nothing of it is written, or all of it was and the answer got lost. The store knows by its name. */
  private async write(line: number, batch: Report[]): ReturnType<EngineStore["report"]> {
    const name = `${this.clock.now()}/${this.clock.random()}`;
    for (;;) {
      try {
        return await this.store.report(batch, { line, name });
      } catch (error) {
        this.log(`engine: reports could not be written, trying again: ${error instanceof Error ? error.message : String(error)}`);
        await this.clock.sleep(RETRY_MS);
      }
    }
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
