import { describe, expect, it } from "vitest";
import { STATES } from "@/lib/resource";
import { healthLook, stateLook } from "./status-look";

describe("how a state is drawn", () => {
  it("uses green for converged in Auto mode and for nothing else", () => {
    const green = STATES.flatMap((state) => (["Auto", "DryRun", "Observe"] as const).map((mode) => ({ state, mode }))).filter(
      ({ state, mode }) => stateLook(state, mode).tone === "ok",
    );
    expect(green).toEqual([{ state: "Converged", mode: "Auto" }]);
  });

  it("gives every state its own shape and its own words", () => {
    const looks = STATES.map((state) => stateLook(state));
    expect(new Set(looks.map((look) => look.shape)).size).toBe(STATES.length);
    expect(new Set(looks.map((look) => look.label)).size).toBe(STATES.length);
  });

  it("never shows health in green beside paused, stale, dry-run or observed", () => {
    expect(healthLook("Healthy", "Paused").tone).not.toBe("ok");
    expect(healthLook("Healthy", "Stale").tone).not.toBe("ok");
    expect(healthLook("Healthy", "Converged", "DryRun").tone).not.toBe("ok");
    expect(healthLook("Healthy", "Converged").tone).toBe("ok");
  });
});
