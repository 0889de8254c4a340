import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { Drive } from "./drive";
import type { KindFixture } from "./fixture";
import { GUARANTEES } from "./guarantees";

export type { Arrange, Fault, Foreign, KindFixture, OutsideThing, Running } from "./fixture";
export { deletionOf, edited, newResource } from "./loop";

/** A guarantee may start and heal many things, each with its own wait. */
const TIMEOUT_MS = 180_000;

/**
 * Runs every guarantee of the contract of a kind against the real target that `setup` prepares. One call makes a kind conform:
 * `describeKind("ConfigFile", async () => ({ start, resource, breaks, faults, foreign, inventory, fingerprint, … }))`.
 */
export function describeKind<Spec, Observed>(name: string, setup: () => Promise<KindFixture<Spec, Observed>>): void {
  describe(`${name} keeps the promises of every kind`, () => {
    let fixture: KindFixture<Spec, Observed> | undefined;
    let drive: Drive<Spec, Observed> | undefined;
    beforeAll(async () => {
      fixture = await setup();
      drive = new Drive(fixture);
    }, 120_000);
    afterEach(async () => drive?.stopAll());
    afterAll(async () => fixture?.close?.());
    for (const [sentence, guarantee] of Object.entries(GUARANTEES))
      test(sentence, { timeout: TIMEOUT_MS }, async () => {
        if (!drive) throw new Error("the fixture was not set up");
        await guarantee(drive);
      });
  });
}

/**
 * As `describeKind`, for a kind that mostly waits for its target: every guarantee has a target of its own, and they run side by side.
 * `setup` is called once for each; its targets must not see each other.
 */
export function describeKindSideBySide<Spec, Observed>(name: string, setup: () => Promise<KindFixture<Spec, Observed>>): void {
  describe.concurrent(`${name} keeps the promises of every kind`, () => {
    for (const [sentence, guarantee] of Object.entries(GUARANTEES))
      test(sentence, { timeout: TIMEOUT_MS }, async () => {
        const fixture = await setup();
        const drive = new Drive(fixture);
        try {
          await guarantee(drive);
        } finally {
          await drive.stopAll();
          await fixture.close?.();
        }
      });
  });
}
