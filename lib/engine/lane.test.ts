import { expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "@/lib/clock";
import type { AnyController } from "@/lib/controller";
import { Lane } from "./lane";

const controller: AnyController = {
  kind: { name: "Item", plural: "items", singular: "item", description: "", schema: z.strictObject({}), columns: [], example: {} },
  observe: async () => undefined,
  plan: () => ({ fields: [], actions: [], conditions: [] }),
  apply: async () => undefined,
};

it("with any number of passes that end at once, all else in the process keeps getting its turn", async () => {
  const KEYS = 5_000;
  let [looked, turns] = [0, 0];
  const rules = { open: () => true, groupOf: () => "", holdBack: () => undefined };
  await new Promise<void>((resolve) => {
    const run = async (key: string) => {
      looked += 1;
      lane.queue.done(key, systemClock.now());
      if (looked === KEYS) resolve();
    };
    const lane = new Lane(controller, systemClock, run, () => undefined, rules);
    const others = () => {
      turns += 1;
      if (looked < KEYS) setImmediate(others);
    };
    for (let index = 0; index < KEYS; index++) lane.add(`key-${index}`, "resync");
    setImmediate(others);
  });
  expect(turns).toBeGreaterThan(10);
});
