import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { Drive } from "./drive";
import type { KindFixture } from "./fixture";
import { GUARANTEES } from "./guarantees";

export type { Arrange, Fault, Foreign, KindFixture, OutsideThing, Running } from "./fixture";
export { deletionOf, edited, newResource } from "./loop";

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
      test(sentence, { timeout: 180_000 }, async () => {
        if (!drive) throw new Error("the fixture was not set up");
        await guarantee(drive);
      });
  });
}
