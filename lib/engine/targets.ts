import { type Clock, type Instant, type SteadyClock, toIso } from "@/lib/clock";
import { type BaseContext, DEFAULT_RESYNC_MS } from "@/lib/controller";
import { type Reason, SetpointError } from "@/lib/errors";
import type { Fence, Report, TargetTrouble } from "@/lib/store";
import { TARGET_LIMITS, TargetBudget, type TargetLimits } from "./budget";
import type { Outcome } from "./outcome";
import { recordOf } from "./record";
import { lastLookOf, type Slot, unresolved } from "./slot";
import { statusAfter } from "./status";
import { bandOf, type Trigger } from "./workqueue";

/** Failures that say something about the target as a whole, not about the one object. */
const SILENCE: ReadonlySet<Reason> = new Set(["Unreachable", "TargetTimeout", "Throttled"]);
/** One that waits for a target that is down asks again this late, and later each time. The first in line comes at the probe's time. */
const HOLD_BASE_MS = 10_000;
const HOLD_CAP_MS = 120_000;
/** A target that nobody called for this long is forgotten. */
const FORGET_AFTER_MS = 3_600_000;

/** Where a key goes instead of running. */
export interface HeldBack {
  at: Instant;
  trigger: Trigger;
  /** Set when its target does not answer: the report says so. */
  outcome?: Extract<Outcome, { type: "held" }>;
}

interface Waiting {
  slot: Slot;
  /** How often it was sent away. */
  holds: number;
  /** When it was told to come back. */
  until: Instant;
}

interface Account {
  budget: TargetBudget;
  /** Objects that wait for it to answer; bounded by the objects there are. */
  waiting: Map<string, Waiting>;
  /** Who comes back exactly when the next call is allowed. */
  scout?: string;
  kinds: Set<string>;
}

/**
 * The target accounts that this worker calls. A key is asked for at the moment it is taken from the queue; one that may not call goes
 * back with a time, without a lane and without a failure. An account that answers again wakes all that waited for it, spread out.
 */
export class Targets {
  private readonly accounts = new Map<string, Account>();
  private readonly limits: TargetLimits;

  constructor(
    private readonly clock: SteadyClock,
    limits: Partial<TargetLimits>,
    private readonly wake: (slot: Slot, at: Instant) => void,
    private readonly log: (message: string) => void,
  ) {
    this.limits = { ...TARGET_LIMITS, ...limits };
  }

  /** Finds out which account a resource is on, if that is not known. A store that does not answer is no reason not to look. */
  async resolve(slot: Slot, lookup: BaseContext["lookup"]): Promise<void> {
    if (slot.target !== undefined) return;
    const { controller, resource } = slot;
    const target = await controller.target?.(resource, { lookup }).catch(() => undefined);
    // What was asked about an older intent is no answer: the next pass asks again.
    if (slot.resource === resource) slot.target = target ?? null;
  }

  /** Undefined: it may call now, and `ended` must follow. */
  admit(slot: Slot, trigger: Trigger): HeldBack | undefined {
    if (!slot.target) return undefined;
    const now = this.clock.now();
    const account = this.account(slot.target, now);
    const { uid } = slot.resource.metadata;
    account.kinds.add(slot.resource.kind);
    const admission = account.budget.take(now, bandOf(trigger));
    if (admission.go) {
      if (account.scout === uid) account.scout = undefined;
      return undefined;
    }
    if (admission.because === "busy") return { at: admission.at, trigger };
    return this.hold(slot, slot.target, account, admission.at, trigger);
  }

  /** How the call that `admit` allowed ended. `target` is the account it was allowed for. */
  ended(slot: Slot, target: string, outcome: Outcome, looked: boolean): void {
    const account = this.accounts.get(target);
    if (!account) return;
    const now = this.clock.now();
    const { uid } = slot.resource.metadata;
    if (outcome.type === "failed" && SILENCE.has(outcome.error.reason)) {
      account.waiting.set(uid, account.waiting.get(uid) ?? { slot, holds: 0, until: 0 });
      if (account.budget.unanswered(uid, outcome.error, now, this.clock.random()))
        this.log(`engine: ${target} does not answer: ${outcome.error.message}; it is tried by one object at a time`);
    } else if (looked && !(outcome.type === "failed" && outcome.during === "observe")) {
      account.waiting.delete(uid);
      if (account.budget.answered()) this.recovered(target, account, now);
    } else account.budget.neither();
  }

  /** The object left, or its intent changed and with it perhaps its target. */
  forget(slot: Slot): void {
    const account = slot.target ? this.accounts.get(slot.target) : undefined;
    slot.target = unresolved(slot.controller);
    if (!account) return;
    const { uid } = slot.resource.metadata;
    account.waiting.delete(uid);
    if (account.scout !== uid) return;
    account.scout = undefined;
    // Somebody else must find out.
    const [next] = account.waiting.values();
    const at = account.budget.nextProbeAt;
    if (!next || at === undefined) return;
    account.scout = next.slot.resource.metadata.uid;
    this.wake(next.slot, at);
  }

  /** The accounts of a kind that do not answer, for the Controllers page: one line per target, however many objects wait. */
  troubles(kind: string): TargetTrouble[] {
    return [...this.accounts].flatMap(([target, { budget, waiting, kinds }]) => {
      const { error, openSince, nextProbeAt } = budget;
      if (!kinds.has(kind) || !error || openSince === undefined || nextProbeAt === undefined) return [];
      const held = [...waiting.values()].filter(({ slot }) => slot.resource.kind === kind).length;
      return [
        {
          target,
          reason: error.reason,
          message: error.message,
          since: toIso(this.clock.toWall(openSince)),
          nextAttemptAt: toIso(this.clock.toWall(nextProbeAt)),
          waiting: held,
        },
      ];
    });
  }

  /** Forgets accounts that nobody calls any more. */
  prune(): void {
    const before = this.clock.now() - FORGET_AFTER_MS;
    for (const [target, { budget, waiting }] of this.accounts)
      if (budget.usedAt < before && waiting.size === 0 && budget.inFlight === 0) this.accounts.delete(target);
  }

  private hold(slot: Slot, target: string, account: Account, probeAt: Instant, trigger: Trigger): HeldBack {
    const now = this.clock.now();
    const { uid } = slot.resource.metadata;
    const waiting = account.waiting.get(uid) ?? { slot, holds: 0, until: 0 };
    account.waiting.set(uid, waiting);
    account.scout ??= uid;
    if (account.scout === uid) waiting.until = probeAt;
    else if (waiting.until <= now) {
      // One that is woken early keeps its appointment; the others come back later each time.
      const growth = Math.min(HOLD_CAP_MS, HOLD_BASE_MS * 2 ** Math.min(waiting.holds, 10)) * (0.5 + this.clock.random() / 2);
      waiting.holds += 1;
      waiting.until = Math.max(probeAt, now + Math.min(growth, slowest(slot)));
    }
    // Up: what is due again at once would be sent away again and again within one millisecond.
    const at = Math.ceil(waiting.until);
    const error = account.budget.error ?? new SetpointError("Unreachable", `${target} does not answer.`);
    return {
      at,
      trigger: bandOf(trigger) === 0 ? trigger : "recheck",
      outcome: { type: "held", error, target, at: Math.round(this.clock.toWall(at)) },
    };
  }

  private recovered(target: string, account: Account, now: Instant): void {
    this.log(`engine: ${target} answers again; ${account.waiting.size} objects waited for it`);
    account.scout = undefined;
    let place = 0;
    for (const { slot } of account.waiting.values()) {
      place += 1;
      this.wake(slot, now + Math.max(0, place - this.limits.atOnce) * (1000 / this.limits.perSecond));
    }
    account.waiting.clear();
  }

  private account(target: string, now: Instant): Account {
    let account = this.accounts.get(target);
    if (!account) {
      account = { budget: new TargetBudget(this.limits, now), waiting: new Map(), kinds: new Set() };
      this.accounts.set(target, account);
    }
    return account;
  }
}

/** The report of one that is held back; undefined when it says what is known already. Nothing is recorded: nothing was tried. */
export function reportHeld(slot: Slot, outcome: Outcome, trigger: Trigger, fence: Fence, clock: Pick<Clock, "now">): Report | undefined {
  const now = clock.now();
  const { resource } = slot;
  const after = statusAfter(resource, outcome, { now, startedAt: now, lastLookAt: lastLookOf(slot), random: 0, early: true, resyncMs: 0 });
  const report = recordOf(resource, outcome, after, { trigger, startedAt: now, now, durationMs: 0, fence });
  if (after && report) slot.resource = { ...resource, status: after };
  return report;
}

/** Waiting is never slower than four looks of a healthy object would be apart. */
function slowest({ controller }: Slot): number {
  return Math.max(HOLD_BASE_MS, 4 * (controller.kind.resyncMs ?? DEFAULT_RESYNC_MS));
}
