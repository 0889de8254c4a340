import { describe, expect, it } from "vitest";
import { DEFAULT_EXPIRY, expiryIso, pauseProblem } from "./expiry";

const now = Date.UTC(2026, 0, 1, 12);

describe("a pause", () => {
  it("ends by itself unless somebody chooses otherwise", () => {
    expect(expiryIso(DEFAULT_EXPIRY, now)).toBe("2026-01-01T16:00:00.000Z");
    expect(expiryIso("never", now)).toBeUndefined();
  });

  it("needs a reason", () => {
    expect(pauseProblem("  ", "1h", now)?.field).toBe("reason");
    expect(pauseProblem("migration", "1h", now)).toBeUndefined();
  });

  it("cannot end in the past or at no time", () => {
    expect(pauseProblem("migration", "at", now, "2025-12-31T00:00:00Z")?.field).toBe("until");
    expect(pauseProblem("migration", "at", now, "")?.field).toBe("until");
    expect(pauseProblem("migration", "at", now, "2026-01-02T00:00:00Z")).toBeUndefined();
  });
});
