import { describe, expect, it } from "vitest";
import { absoluteText, countdownText, durationText, relativeText } from "./time-format";

const at = Date.parse("2026-11-30T14:03:12.400Z");

describe("times are written the same everywhere", () => {
  it("names the zone of an absolute time", () => {
    expect(absoluteText(at, "utc")).toBe("2026-11-30 14:03:12 UTC");
  });

  it("tells the past from the future, in the largest unit", () => {
    expect(relativeText(at, at + 500)).toBe("just now");
    expect(relativeText(at, at + 59_000)).toBe("59 s ago");
    expect(relativeText(at, at + 47 * 3_600_000)).toBe("47 h ago");
    expect(relativeText(at, at - 3 * 86_400_000)).toBe("in 3 d");
  });

  it("writes durations with at most two units", () => {
    expect(durationText(840)).toBe("840 ms");
    expect(durationText(1400)).toBe("1.4 s");
    expect(durationText(200_000)).toBe("3 min 20 s");
    expect(durationText(3_600_000)).toBe("1 h");
  });
});

describe("a countdown", () => {
  it("counts whole seconds up to the very moment and then has nothing left", () => {
    expect(countdownText(42_000)).toBe("00:42");
    expect(countdownText(1)).toBe("00:01");
    expect(countdownText(0)).toBeUndefined();
  });

  it("is never negative, whatever the clocks say", () => {
    expect(countdownText(-5000)).toBeUndefined();
    expect(countdownText(Number.NaN)).toBeUndefined();
  });

  it("carries seconds into minutes and hours", () => {
    expect(countdownText(59_001)).toBe("01:00");
    expect(countdownText(3_600_000)).toBe("1:00:00");
    expect(countdownText(86_400_000 + 4 * 3_600_000)).toBe("1 d 4 h");
  });
});
