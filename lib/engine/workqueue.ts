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

interface Item {
  /** Whose turn it takes: keys of one group wait for each other, groups take turns. */
  group: string;
  ready?: { trigger: Trigger; since: Instant };
  /** Added while in flight: run once more when done. */
  again?: Trigger;
  due?: { at: Instant; trigger: Trigger };
  inFlight: boolean;
}

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
    const item = this.item(key);
    if (item.inFlight) {
      if (item.again === undefined || BAND[trigger] < BAND[item.again]) item.again = trigger;
      return;
    }
    item.due = undefined;
    if (item.ready) {
      if (BAND[trigger] >= BAND[item.ready.trigger]) return;
      this.bands[BAND[item.ready.trigger]].delete(item.group, key);
      item.ready.trigger = trigger;
    } else {
      item.ready = { trigger, since: now };
    }
    this.bands[BAND[trigger]].add(item.group, key);
  }

  /** Makes a key ready at `at`; of several, the soonest counts. Not finite means never. */
  addAt(key: string, trigger: Trigger, at: Instant): void {
    if (!Number.isFinite(at)) return;
    const item = this.item(key);
    if (item.ready || (item.due && item.due.at <= at)) return;
    item.due = { at, trigger };
    this.heap.push({ key, at });
  }

  /** Replaces any waiting for a key by `at`: what the newest pass decided. */
  reschedule(key: string, trigger: Trigger, at: Instant): void {
    const item = this.item(key);
    item.due = undefined;
    this.addAt(key, trigger, at);
  }

  /** Moves what has fallen due into the bands. */
  promote(now: Instant): void {
    for (let head = this.heap.peek(); head && head.at <= now; head = this.heap.peek()) {
      this.heap.pop();
      const item = this.items.get(head.key);
      if (item?.due?.at !== head.at) continue;
      const { trigger } = item.due;
      item.due = undefined;
      this.add(head.key, trigger, now);
    }
  }

  /** The next key to run, now in flight; undefined when none is ready. */
  take(now: Instant): { key: string; trigger: Trigger } | undefined {
    this.promote(now);
    this.takes += 1;
    const fair = this.takes % FAIR_SHARE === 0 ? FAIR_ORDERS[(this.takes / FAIR_SHARE) % FAIR_ORDERS.length] : undefined;
    for (const band of fair ?? URGENT_ORDER) {
      const key = this.bands[band].take();
      if (key === undefined) continue;
      const item = this.item(key);
      const trigger = item.ready?.trigger ?? "resync";
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
    if (again) this.add(key, again, now);
  }

  /** Forgets everything about a key. A run in flight ends without effect on the queue. */
  forget(key: string): void {
    const item = this.items.get(key);
    if (!item) return;
    if (item.ready) this.bands[BAND[item.ready.trigger]].delete(item.group, key);
    if (item.inFlight) this.flying -= 1;
    this.items.delete(key);
  }

  /** When the next waiting key falls due; undefined when none waits. */
  nextDue(): Instant | undefined {
    for (let head = this.heap.peek(); head; head = this.heap.peek()) {
      if (this.items.get(head.key)?.due?.at === head.at) return head.at;
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
    for (const band of this.bands) for (const key of band.heads()) oldest = Math.min(oldest, this.items.get(key)?.ready?.since ?? now);
    return Math.max(0, now - oldest);
  }

  private item(key: string): Item {
    let item = this.items.get(key);
    if (!item) {
      item = { group: this.groupOf(key), inFlight: false };
      this.items.set(key, item);
    }
    return item;
  }
}

/** Keys in order of arrival, group by group in turn: every operation costs the same however many there are. */
class Turns {
  private readonly groups = new Map<string, Set<string>>();
  size = 0;

  add(group: string, key: string): void {
    const keys = this.groups.get(group) ?? new Set();
    if (keys.has(key)) return;
    keys.add(key);
    this.groups.set(group, keys);
    this.size += 1;
  }

  delete(group: string, key: string): void {
    const keys = this.groups.get(group);
    if (!keys?.delete(key)) return;
    this.size -= 1;
    if (keys.size === 0) this.groups.delete(group);
  }

  /** The first key of the group whose turn it is; that group then waits until all others had theirs. */
  take(): string | undefined {
    for (const [group, keys] of this.groups) {
      this.groups.delete(group);
      for (const key of keys) {
        keys.delete(key);
        this.size -= 1;
        if (keys.size > 0) this.groups.set(group, keys);
        return key;
      }
    }
    return undefined;
  }

  /** The key of each group that has waited the longest. */
  *heads(): Iterable<string> {
    for (const keys of this.groups.values())
      for (const key of keys) {
        yield key;
        break;
      }
  }
}

/** Binary heap by time; entries that were overtaken stay until they surface. */
class DueHeap {
  private readonly entries: { key: string; at: Instant }[] = [];

  peek() {
    return this.entries[0];
  }

  push(entry: { key: string; at: Instant }): void {
    this.entries.push(entry);
    let child = this.entries.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (this.at(parent) <= this.at(child)) break;
      this.swap(parent, child);
      child = parent;
    }
  }

  pop() {
    const head = this.entries[0];
    const last = this.entries.pop();
    if (last && this.entries.length > 0) {
      this.entries[0] = last;
      for (let parent = 0; ; ) {
        const left = 2 * parent + 1;
        let least = parent;
        if (this.at(left) < this.at(least)) least = left;
        if (this.at(left + 1) < this.at(least)) least = left + 1;
        if (least === parent) break;
        this.swap(parent, least);
        parent = least;
      }
    }
    return head;
  }

  private at(index: number): Instant {
    return this.entries[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  private swap(a: number, b: number): void {
    const left = this.entries[a];
    const right = this.entries[b];
    if (!left || !right) return;
    this.entries[a] = right;
    this.entries[b] = left;
  }
}
