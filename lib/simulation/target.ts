import { SetpointError } from "@/lib/errors";

/** Who made an outside thing, as it is written on it. */
export interface Mark {
  uid: string;
  installation: string;
}

export interface Thing {
  id: string;
  /** A name that the strict target keeps unique. */
  key: string;
  mark?: Mark;
  /** Of the intent it was last written from. */
  generation: number;
  value: string;
  size: number;
  secret: string;
  version: number;
  /** Virtual time from which it is warm. */
  warmAt: number;
}

export type Wanted = Pick<Thing, "value" | "size" | "secret" | "generation">;

/** This value is refused by the target whoever asks: an intent without hope. */
export const HOPELESS = "hopeless";
/** A thing that was made sticky says yes to changes and does not carry them out. */
export const STICKY = "sticky";
/** What somebody else writes. */
export const MEDDLED = "meddled";
const WARM_UP_MS = 1_500;

/**
 * An outside system of the simulated world. Strict: a key is unique and a change names the version it is of. Loose: whoever asks gets
 * a new thing, and the last writer wins.
 */
export class Target {
  readonly things = new Map<string, Thing>();
  /** Earlier states by key, for reads that are declared to be stale. */
  private readonly past = new Map<string, { at: number; thing?: Thing }[]>();
  private ids = 0;
  /** How often anything changed. */
  changes = 0;

  constructor(
    readonly strict: boolean,
    private readonly time: () => number,
  ) {}

  byKey(key: string): Thing | undefined {
    for (const thing of this.things.values()) if (thing.key === key) return thing;
    return undefined;
  }

  byMark(uid: string): Thing[] {
    return [...this.things.values()].filter(({ mark }) => mark?.uid === uid);
  }

  /** What was there under that key so long ago. */
  before(key: string, ageMs: number): Thing | undefined {
    const at = this.time() - ageMs;
    return this.past.get(key)?.findLast((state) => state.at <= at)?.thing;
  }

  create(key: string, mark: Mark | undefined, { value, size, secret, generation }: Wanted, half = false): Thing {
    if (value === HOPELESS) throw new SetpointError("Rejected", "The target knows no such value.");
    if (this.strict && this.byKey(key)) throw new SetpointError("TargetError", `409: ${key} is there already.`);
    this.ids += 1;
    const thing: Thing = {
      id: `t${this.ids}`,
      key,
      generation,
      value,
      size: half ? 0 : size,
      secret,
      version: 1,
      warmAt: this.time() + WARM_UP_MS,
    };
    if (mark) thing.mark = mark;
    return this.keep(thing);
  }

  update(id: string, version: number, { value, size, secret, generation }: Wanted, half = false): void {
    const thing = this.things.get(id);
    if (!thing || (this.strict && thing.version !== version)) throw new SetpointError("TargetError", "412: it changed meanwhile.");
    if (value === HOPELESS) throw new SetpointError("Rejected", "The target knows no such value.");
    if (thing.value === STICKY || value === STICKY) return;
    this.keep({ ...thing, value, size: half ? thing.size : size, secret, generation, version: thing.version + 1 });
  }

  remove(id: string, version: number): void {
    const thing = this.things.get(id);
    if (!thing) return;
    if (this.strict && thing.version !== version) throw new SetpointError("TargetError", "412: it changed meanwhile.");
    this.things.delete(id);
    this.remember(thing.key, undefined);
  }

  /** Somebody else's hand, which no condition keeps off. */
  vanish(id: string): void {
    const thing = this.things.get(id);
    if (thing) this.remove(id, thing.version);
  }

  meddle(id: string, change: Partial<Pick<Thing, "value" | "size">>): void {
    const thing = this.things.get(id);
    if (thing) this.keep({ ...thing, ...change, version: thing.version + 1 });
  }

  private keep(thing: Thing): Thing {
    this.things.set(thing.id, thing);
    this.remember(thing.key, thing);
    return thing;
  }

  private remember(key: string, thing: Thing | undefined): void {
    this.changes += 1;
    const states = this.past.get(key) ?? [];
    states.push({ at: this.time(), thing });
    this.past.set(key, states);
  }
}
