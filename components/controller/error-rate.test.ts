import { describe, expect, it } from "vitest";
import { shareOf } from "./error-rate";

describe("the error rate of a controller", () => {
  it("never rounds a failure away, nor a success", () => {
    expect(shareOf(1, 100_000)).toBe("< 1 %");
    expect(shareOf(99_999, 100_000)).toBe("> 99 %");
    expect(shareOf(1, 3)).toBe("33 %");
  });

  it("is zero where nothing failed", () => {
    expect(shareOf(0, 0)).toBe("0 %");
    expect(shareOf(0, 7)).toBe("0 %");
  });
});
