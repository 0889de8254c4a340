import type { Instant } from "@/lib/clock";

/** Urgency: new intent, retry or dependency, first look after a start, resync. Lower is sooner. */
export type Band = 0 | 1 | 2 | 3;

/** Why a key is in the queue: shown on the timeline, and decides the band. A hint, never an input of a decision about the world. */
export type Trigger = "intent" | "requested" | "correction" | "dependency" | "retry" | "hint" | "recheck" | "start" | "resync";

const BAND: Record<Trigger, Band> = {
  intent: 0,
  requested: 0,
  correction: 0,
  dependency: 1,
  retry: 1,
  hint: 1,
  recheck: 1,
  start: 2,
  resync: 3,
};

export function bandOf(trigger: Trigger): Band {
  return BAND[trigger];
}

/** Every this-many-th take serves one of the less urgent bands, in turn, so that none starves. */
const FAIR_SHARE = 8;
/** Which band such a take begins with, and where it goes on when that has no work. */
const FAIR_ORDERS: readonly (readonly Band[])[] = [
  [3, 2, 1, 0],
  [2, 1, 3, 0],
  [1, 3, 2, 0],
];
const URGENT_ORDER: readonly Band[] = [0, 1, 2, 3];

/** One shape, and no object beside it: there are as many as there are resources. */
interface Item {
  key: string;
  /** Whose turn it takes: keys of one group wait for each other, groups take turns. */
  group: string;
  /** Why it is ready; undefined while it is not. */
  ready: Trigger | undefined;
  readySince: Instant;
  /** Added while in flight: run once more when done. */
  again: Trigger | undefined;
  /** When and why it becomes ready by itself; `NEVER` while it does not. */
  due: Instant;
  dueFor: Trigger;
  inFlight: boolean;
  /** Its neighbours in the line it stands in. */
  before: Item | undefined;
  after: Item | undefined;
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * A queue of keys with at most one run per key in flight; any number of adds during a run cause exactly one more. Delayed adds
 * merge to the soonest. Bands are served by urgency with a fair share for the less urgent, and within a band groups (namespaces) take
 * turns, so that one with much to do does not hold up the others. Memory is bounded by the number of keys.
 * Knows no clock and no timer: the caller says what time it is. After client-go's workqueue (dirty and processing sets).
 */
export class Workqueue {
  private readonly items = new Map<string, Item>();
  private readonly bands: [Turns, Turns, Turns, Turns] = [new Turns(), new Turns(), new Turns(), new Turns()];
  private readonly heap = new DueHeap();
  private takes = 0;
  private flying = 0;

  /** `groupOf` says whose turn a key takes; asked once per key. */
  constructor(private readonly groupOf: (key: string) => string = () => "") {}

  /** Makes a key ready now. A ready key only becomes more urgent. */
  add(key: string, trigger: Trigger, now: Instant): void {
    this.makeReady(this.item(key), trigger, now);
  }

  /** Makes a key ready at `at`; of several, the soonest counts. Not finite means never. */
  addAt(key: string, trigger: Trigger, at: Instant): void {
    this.makeDue(this.item(key), trigger, at);
  }

  /** Replaces any waiting for a key by `at`: what the newest pass decided. */
  reschedule(key: string, trigger: Trigger, at: Instant): void {
    const item = this.item(key);
    item.due = NEVER;
    this.makeDue(item, trigger, at);
  }

  /** Moves what has fallen due into the bands. */
  promote(now: Instant): void {
    for (let at = this.heap.first; at <= now; at = this.heap.first) {
      const item = this.heap.pop();
      if (item?.due === at) this.makeReady(item, item.dueFor, now);
    }
  }

  /** The next key to run, now in flight; undefined when none is ready. */
  take(now: Instant): { key: string; trigger: Trigger } | undefined {
    this.promote(now);
    this.takes += 1;
    const fair = this.takes % FAIR_SHARE === 0 ? FAIR_ORDERS[(this.takes / FAIR_SHARE) % FAIR_ORDERS.length] : undefined;
    for (const band of fair ?? URGENT_ORDER) {
      const item = this.bands[band].take();
      if (item?.ready === undefined) continue;
      const { key, ready: trigger } = item;
      item.ready = undefined;
      item.inFlight = true;
      this.flying += 1;
      return { key, trigger };
    }
    return undefined;
  }

  /** Ends a run; if the key was added meanwhile it is ready again at once. */
  done(key: string, now: Instant): void {
    const item = this.items.get(key);
    if (!item?.inFlight) return;
    item.inFlight = false;
    this.flying -= 1;
    const { again } = item;
    item.again = undefined;
    if (again) this.makeReady(item, again, now);
  }

  /** Forgets everything about a key. A run in flight ends without effect on the queue. */
  forget(key: string): void {
    const item = this.items.get(key);
    if (!item) return;
    if (item.ready) this.bands[BAND[item.ready]].delete(item);
    if (item.inFlight) this.flying -= 1;
    // What is left of it in the heap is of no effect.
    item.due = NEVER;
    this.items.delete(key);
  }

  /** When the next waiting key falls due; undefined when none waits. */
  nextDue(): Instant | undefined {
    for (let item = this.heap.peek(); item; item = this.heap.peek()) {
      if (item.due === this.heap.first) return item.due;
      this.heap.pop();
    }
    return undefined;
  }

  /** Keys ready and not running. */
  get depth(): number {
    return this.bands.reduce((sum, band) => sum + band.size, 0);
  }

  get inFlight(): number {
    return this.flying;
  }

  get size(): number {
    return this.items.size;
  }

  /** How long the key that is ready the longest has waited, in milliseconds. */
  backlogAgeMs(now: Instant): number {
    let oldest = now;
    // Within a group keys are in order of arrival, but for those that were made more urgent later.
    for (const band of this.bands) for (const item of band.heads()) oldest = Math.min(oldest, item.readySince);
    return Math.max(0, now - oldest);
  }

  private makeReady(item: Item, trigger: Trigger, now: Instant): void {
    if (item.inFlight) {
      if (item.again === undefined || BAND[trigger] < BAND[item.again]) item.again = trigger;
      return;
    }
    item.due = NEVER;
    if (item.ready) {
      if (BAND[trigger] >= BAND[item.ready]) return;
      this.bands[BAND[item.ready]].delete(item);
    } else item.readySince = now;
    item.ready = trigger;
    this.bands[BAND[trigger]].add(item);
  }

  private makeDue(item: Item, trigger: Trigger, at: Instant): void {
    if (!Number.isFinite(at) || item.ready || item.due <= at) return;
    item.due = at;
    item.dueFor = trigger;
    this.heap.push(item, at);
  }

  private item(key: string): Item {
    let item = this.items.get(key);
    if (!item) {
      const group = this.groupOf(key);
      const standing = { ready: undefined, readySince: 0, again: undefined, before: undefined, after: undefined };
      item = { key, group, ...standing, due: NEVER, dueFor: "resync", inFlight: false };
      this.items.set(key, item);
    }
    return item;
  }
}

/** Keys in order of arrival, group by group in turn: every operation costs the same however many there are. */
class Turns {
  private readonly groups = new Map<string, Line>();
  size = 0;

  /** It must not stand in any line. */
  add(item: Item): void {
    let line = this.groups.get(item.group);
    if (!line) {
      line = new Line();
      this.groups.set(item.group, line);
    }
    line.push(item);
    this.size += 1;
  }

  /** It must stand in the line of its group here. */
  delete(item: Item): void {
    const line = this.groups.get(item.group);
    if (!line) return;
    line.remove(item);
    this.size -= 1;
    if (!line.first) this.groups.delete(item.group);
  }

  /** The first key of the group whose turn it is; that group then waits until all others had theirs. */
  take(): Item | undefined {
    for (const [group, line] of this.groups) {
      const item = line.first;
      if (!item) continue;
      this.delete(item);
      if (line.first && this.groups.size > 1) {
        this.groups.delete(group);
        this.groups.set(group, line);
      }
      return item;
    }
    return undefined;
  }

  /** The key of each group that has waited the longest. */
  *heads(): Iterable<Item> {
    for (const { first } of this.groups.values()) if (first) yield first;
  }
}

/** Items one after the other, linked through themselves: to put one in and to take any out makes nothing and leaves nothing behind. */
class Line {
  first: Item | undefined;
  private last: Item | undefined;

  push(item: Item): void {
    item.before = this.last;
    if (this.last) this.last.after = item;
    else this.first = item;
    this.last = item;
  }

  remove(item: Item): void {
    const { before, after } = item;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    item.before = undefined;
    item.after = undefined;
  }
}

/**
 * Binary heap by time; entries that were overtaken stay until they surface. Times stand in a list of their own, so that comparing reads
 * nothing else: of plain numbers, `NEVER` behind the last, so that reading one makes no object.
 */
class DueHeap {
  private times = new Float64Array(64).fill(NEVER);
  private readonly items: Item[] = [];

  /** The least time; `NEVER` when there is none. */
  get first(): Instant {
    return this.at(0);
  }

  peek(): Item | undefined {
    return this.items[0];
  }

  push(item: Item, at: Instant): void {
    let child = this.items.push(item) - 1;
    // Two children of the last one are asked for too.
    if (2 * child + 2 >= this.times.length) this.grow();
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (this.at(parent) <= at) break;
      this.move(parent, child);
      child = parent;
    }
    this.place(child, item, at);
  }

  pop(): Item | undefined {
    const head = this.items[0];
    const item = this.items.pop();
    const last = this.items.length;
    const at = this.at(last);
    this.times[last] = NEVER;
    if (!item || last === 0) return head;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      const least = this.at(left + 1) < this.at(left) ? left + 1 : left;
      if (this.at(least) >= at) break;
      this.move(least, parent);
      parent = least;
    }
    this.place(parent, item, at);
    return head;
  }

  private at(index: number): Instant {
    return this.times[index] as Instant;
  }

  private move(from: number, to: number): void {
    this.place(to, this.items[from] as Item, this.at(from));
  }

  private place(index: number, item: Item, at: Instant): void {
    this.items[index] = item;
    this.times[index] = at;
  }

  private grow(): void {
    const wider = new Float64Array(2 * this.times.length).fill(NEVER);
    wider.set(this.times);
    this.times = wider;
  }
}
