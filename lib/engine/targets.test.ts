import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { fakeClock, steadyClock } from "@/lib/clock";
import type { AnyController } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { DEFAULT_CONTROL } from "@/lib/resource";
import { OPENS_AFTER } from "./budget";
import { newSlot } from "./slot";
import { Targets } from "./targets";

const controller: AnyController = {
  kind: { name: "Item", plural: "items", singular: "item", description: "", schema: z.strictObject({}), columns: [], example: {} },
  target: async () => "db",
  observe: async () => undefined,
  plan: () => ({ fields: [], actions: [], conditions: [] }),
  apply: async () => undefined,
};

function slotOf(uid: string) {
  const metadata = { uid, name: uid, namespace: "d", generation: 1, resourceVersion: "1", creationTimestamp: "" };
  const slot = newSlot({ kind: "Item", metadata, spec: {}, control: DEFAULT_CONTROL }, "shard/1", controller);
  slot.target = "db";
  return slot;
}

it("what is sent away comes back later, never in the same moment again", async () => {
  const whose = fc.array(fc.nat({ max: OPENS_AFTER + 2 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(whose, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), async (order, random) => {
      const fake = fakeClock(1_000, random);
      const clock = steadyClock(fake);
      const ignore = () => undefined;
      const targets = new Targets(clock, {}, ignore, ignore);
      const slots = Array.from({ length: OPENS_AFTER + 3 }, (_, index) => slotOf(`u${index}`));
      const error = new SetpointError("Unreachable", "connection refused");
      const ask = (slot: (typeof slots)[number]) => {
        const held = targets.admit(slot, "recheck");
        if (!held) targets.ended(slot, "db", { type: "failed", error, during: "observe" }, false);
        return held;
      };
      for (const slot of slots) ask(slot);
      for (const index of order) {
        const slot = slots[index] ?? slotOf("none");
        // It comes exactly when it was told to.
        for (let held = ask(slot), again = 0; held && again < 3; held = ask(slot), again++) {
          expect(held.at).toBeGreaterThan(clock.now());
          await fake.advance(held.at - clock.now());
        }
      }
    }),
  );
});
