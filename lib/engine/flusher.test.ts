import fc from "fast-check";
import { expect, it } from "vitest";
import { systemClock } from "@/lib/clock";
import type { BatchName, Report } from "@/lib/store";
import { Flusher } from "./flusher";

interface Call {
  reports: Report[];
  batch: BatchName;
  answer(): void;
  fail(): void;
}

/** A store that answers when it is told to, and writes before it does: once per name of a batch. */
function slowStore() {
  const calls: Call[] = [];
  const written: Report[] = [];
  const names = new Map<number, string>();
  return {
    calls,
    written,
    report: (reports: Report[], batch?: BatchName) =>
      new Promise<{ dropped: string[] }>((resolve, reject) => {
        if (!batch) throw new Error("a batch without a name");
        if (names.get(batch.line) !== batch.name) written.push(...reports);
        names.set(batch.line, batch.name);
        const settle = (how: () => void) => () => {
          calls.splice(calls.indexOf(call), 1);
          how();
        };
        const call = {
          reports,
          batch,
          answer: settle(() => resolve({ dropped: [] })),
          fail: settle(() => reject(new Error("the answer was lost"))),
        };
        calls.push(call);
      }),
  };
}

const REPORT = {
  key: { kind: "Item", namespace: "default", name: "a" },
  fence: { slice: "shard/0", holder: "a", epoch: "1" },
  events: [],
};

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

type Step = { push: number; first: number } | { settle: number; well: boolean };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ push: fc.integer({ min: 1, max: 900 }), first: fc.integer({ min: 0, max: 2_000 }) }),
  fc.record({ settle: fc.nat(1), well: fc.boolean() }),
);

it("the reports of one object are written once and in their order, whatever is on its way and whichever answer is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const store = slowStore();
      let random = 0;
      const clock = { ...systemClock, random: () => random++, sleep: async () => {} };
      const flusher = new Flusher(
        store,
        clock,
        () => {},
        () => {},
        () => {},
      );
      const pushed = new Map<string, number>();
      const settle = async (index: number, well: boolean) => {
        const call = store.calls[index % Math.max(1, store.calls.length)];
        if (well) call?.answer();
        else call?.fail();
        await turn();
        const underWay = store.calls.flatMap(({ reports }) => [...new Set(reports.map(({ uid }) => uid))]);
        expect(new Set(underWay).size).toBe(underWay.length);
      };
      for (const each of steps) {
        if ("settle" in each) await settle(each.settle, each.well);
        else
          for (let i = 0; i < each.push; i++) {
            const uid = `object-${each.first + i}`;
            const generation = (pushed.get(uid) ?? 0) + 1;
            pushed.set(uid, generation);
            flusher.push({ ...REPORT, uid, generation });
          }
      }
      const idle = flusher.idle();
      while (flusher.backlog > 0) await settle(0, true);
      await idle;
      const seen = new Map<string, number>();
      for (const { uid, generation } of store.written) {
        expect(generation).toBe((seen.get(uid) ?? 0) + 1);
        seen.set(uid, generation);
      }
      expect(seen).toEqual(pushed);
    }),
    { numRuns: 50 },
  );
});
