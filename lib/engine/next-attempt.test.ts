import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RetryClass, SetpointError } from "@/lib/errors";
import { BACKOFF, backoffMs, longestWaitMs, nextAttempt, resyncDelayMs } from "./next-attempt";

const retryClass = fc.constantFrom(...(Object.keys(BACKOFF) as RetryClass[]));
const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("backoff", () => {
  it("is finite, positive and never above the cap for any number of failures", () => {
    fc.assert(
      fc.property(
        retryClass,
        fc.oneof(fc.integer({ min: -5, max: 5000 }), fc.constant(Number.MAX_SAFE_INTEGER), fc.constant(Number.NaN)),
        unit,
        (retry, failures, random) => {
          const delay = backoffMs(retry, failures, random);
          expect(delay).toBeGreaterThan(0);
          expect(delay).toBeLessThanOrEqual(BACKOFF[retry].capMs);
        },
      ),
    );
  });

  it("never shrinks with more failures and reaches the cap", () => {
    fc.assert(
      fc.property(retryClass, fc.integer({ min: 1, max: 2000 }), unit, (retry, failures, random) => {
        expect(backoffMs(retry, failures + 1, random)).toBeGreaterThanOrEqual(backoffMs(retry, failures, random));
        expect(backoffMs(retry, 2000, 0.999)).toBeGreaterThan(BACKOFF[retry].capMs * 0.99);
      }),
    );
  });

  it("honours Retry-After, up to the cap", () => {
    expect(backoffMs("throttled", 1, 0.5, 42)).toBe(42_000);
    expect(backoffMs("throttled", 1, 0.5, 1e9)).toBe(BACKOFF.throttled.capMs);
    expect(backoffMs("throttled", 1, 0.5, -3)).toBe(backoffMs("throttled", 1, 0.5));
  });

  it("names the cause, the absolute time in milliseconds and the number of the next attempt", () => {
    const next = nextAttempt(new SetpointError("AccessDenied", "no"), 3, 0, 0.5);
    expect(next).toEqual({ at: "1970-01-01T00:00:45.000Z", cause: "Unauthorised", attempt: 4 });
  });

  it("spreads resyncs by ten percent either way", () => {
    fc.assert(
      fc.property(unit, (random) => {
        expect(Math.abs(resyncDelayMs(10_000, random) - 10_000)).toBeLessThanOrEqual(1_000);
      }),
    );
  });

  it("looks at what waiting does not cure no more often than at what is healthy, after two quick attempts", () => {
    const hopeless = fc.constantFrom("InvalidSpec", "Rejected", "AccessDenied", "NotOurs", "Contested", "NotConvergent" as const);
    fc.assert(
      fc.property(
        hopeless,
        fc.integer({ min: 2, max: 500 }),
        fc.integer({ min: 1_000, max: 3_600_000 }),
        unit,
        (reason, failures, resyncMs, random) => {
          const { at } = nextAttempt(new SetpointError(reason, "no"), failures, 0, random, resyncMs);
          expect(Date.parse(at)).toBeGreaterThanOrEqual(resyncMs);
        },
      ),
    );
  });

  it("asks rarely about a field that another writer changes back, and says so; two claims of one thing are a plain conflict", () => {
    const contested = new SetpointError("Contested", "back and forth", { retryAfterSeconds: 300 });
    expect(nextAttempt(contested, 1, 0, 0)).toEqual({ at: "1970-01-01T00:05:00.000Z", cause: "Contested", attempt: 2 });
    expect(nextAttempt(new SetpointError("Contested", "claimed"), 1, 0, 0).cause).toBe("Conflict");
  });

  it("is never waited for longer than it can have been announced by a right clock", () => {
    for (const [reason, failures, longest] of [
      ["TargetError", 1, 1_000],
      ["TargetError", 3, 4_000],
      ["Rejected", 1, 60_000],
      ["Throttled", 1, 600_000],
      ["NotOurs", 1, 33_000],
    ] as const)
      expect(longestWaitMs(reason, failures, 30_000)).toBeLessThanOrEqual(longest);
  });
});
