import { Random } from "./random";

/** Everything that can go wrong, by name. A seed chooses which of them happen in its run. */
export const FAULTS = {
  crash: "a worker dies at an await; another is started later",
  stop: "a worker is frozen (SIGSTOP), often beyond its lease, and goes on later",
  wallJump: "a worker's wall clock jumps",
  skew: "a worker's monotonic clock runs up to 2 % too fast or too slow",
  join: "a worker is added",
  leave: "a worker stops in order",
  storeLost: "a call of the store fails and did nothing",
  storeUnknown: "a call of the store fails and was done",
  storeSlow: "a call of the store takes seconds",
  storeOutage: "the store is away for a while",
  targetLost: "a call of a target gets lost: an error, or no answer",
  targetUnknown: "a target does what was asked and the answer gets lost",
  targetSlow: "a target answers late, or a change arrives late",
  targetError: "a target answers 5xx",
  targetThrottle: "a target answers 429 with Retry-After",
  targetReject: "a target answers 4xx",
  halfApplied: "a target carries out half of a change and fails",
  staleRead: "a target that declares it shows an older state",
  lyingRead: "a target that declares it shows nothing where there is something",
  thirdPartyEdit: "somebody else changes an outside object",
  thirdPartyDelete: "somebody else removes an outside object",
  foreign: "somebody else makes an outside object under a name we want",
  notifyLost: "notifications get lost",
  notifyDoubled: "notifications come twice",
  thirdPartyCopy: "somebody else copies an outside object with the mark on it, where a target lets them",
  feedCut: "a worker cannot read the feed of changes for longer than it is kept",
} as const;

export type Fault = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS).filter((name): name is Fault => name in FAULTS);

/** Part of all faults that a seed has. */
const SHARE = 0.3;

/** The faults of one seed. Each kind draws from a stream of its own, so that switching one off leaves the others as they were. */
export class Faults {
  readonly active = new Set<Fault>();
  readonly struck = new Map<Fault, number>();
  /** Faults have stopped: the time of liveness. */
  over = false;
  private readonly streams = new Map<Fault, Random>();

  constructor(seed: string, disabled: ReadonlySet<Fault>) {
    const choice = new Random(`${seed}/faults`);
    for (const name of FAULT_NAMES) {
      const chosen = choice.chance(SHARE);
      this.streams.set(name, new Random(`${seed}/fault/${name}`));
      if (chosen && !disabled.has(name)) this.active.add(name);
    }
  }

  /** Whether the fault strikes here. */
  strikes(name: Fault, probability: number): boolean {
    if (this.over || !this.active.has(name) || !this.stream(name).chance(probability)) return false;
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
    return true;
  }

  stream(name: Fault): Random {
    const stream = this.streams.get(name);
    if (!stream) throw new Error(`no stream of ${name}`);
    return stream;
  }
}
