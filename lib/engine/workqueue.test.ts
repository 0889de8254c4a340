import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Trigger, Workqueue } from "./workqueue";

describe("the workqueue", () => {
  it("turns a thousand adds during a run into exactly one more run", () => {
    const queue = new Workqueue();
    queue.add("a", "intent", 0);
    expect(queue.take(0)?.key).toBe("a");
    for (let i = 0; i < 1000; i++) queue.add("a", "hint", i);
    expect(queue.take(1)).toBeUndefined();
    queue.done("a", 2);
    expect(queue.take(2)?.key).toBe("a");
    queue.done("a", 3);
    expect(queue.take(4)).toBeUndefined();
  });

  it("merges delays to the soonest, and a due key runs however far the clock jumps", () => {
    const queue = new Workqueue();
    queue.addAt("a", "resync", 60_000);
    queue.addAt("a", "recheck", 1_000);
    queue.addAt("a", "resync", 30_000);
    expect(queue.nextDue()).toBe(1_000);
    expect(queue.take(999)).toBeUndefined();
    expect(queue.take(3_600_000)).toEqual({ key: "a", trigger: "recheck" });
    expect(queue.take(3_600_000)).toBeUndefined();
  });

  it("ignores times that are not numbers instead of spinning", () => {
    const queue = new Workqueue();
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) queue.addAt("a", "resync", at);
    expect(queue.nextDue()).toBeUndefined();
    expect(queue.take(Number.MAX_SAFE_INTEGER)).toBeUndefined();
  });

  it("serves new intent before a backlog of resyncs, and still serves the backlog", () => {
    const queue = new Workqueue();
    for (let i = 0; i < 100; i++) queue.add(`resync-${i}`, "resync", 0);
    queue.add("new", "intent", 0);
    expect(queue.take(0)?.key).toBe("new");
    let served = 0;
    for (let i = 0; i < 400; i++) {
      queue.add(`intent-${i}`, "intent", i);
      if (queue.take(i)?.key.startsWith("resync")) served += 1;
    }
    expect(served).toBeGreaterThanOrEqual(49);
  });

  it("starves no band, whatever else is ready all the time", () => {
    const queue = new Workqueue();
    const triggers = ["intent", "retry", "start", "resync"] as const;
    const served = { intent: 0, retry: 0, start: 0, resync: 0 };
    for (let i = 0; i < 960; i++) {
      for (const trigger of triggers) queue.add(`${trigger}-${i}`, trigger, i);
      const key = queue.take(i)?.key ?? "";
      for (const trigger of triggers) if (key.startsWith(trigger)) served[trigger] += 1;
    }
    expect(served).toEqual({ intent: 840, retry: 40, start: 40, resync: 40 });
  });

  it("lets namespaces take turns: one with ten thousand keys does not hold up another's one", () => {
    const queue = new Workqueue((key) => key.split("/")[0] ?? "");
    for (let i = 0; i < 10_000; i++) queue.add(`big/${i}`, "intent", 0);
    queue.add("small/1", "intent", 1);
    queue.add("other/1", "intent", 2);
    const first = Array.from({ length: 4 }, () => queue.take(3)?.key);
    expect(first).toEqual(["big/0", "small/1", "other/1", "big/1"]);
  });

  it("runs every key that was added, each at most once at a time, in any order of calls", () => {
    const step = fc.oneof(
      fc.record({
        op: fc.constant("add" as const),
        key: fc.integer({ min: 0, max: 5 }),
        trigger: fc.constantFrom<Trigger>("intent", "retry", "start", "resync"),
      }),
      fc.record({ op: fc.constant("addAt" as const), key: fc.integer({ min: 0, max: 5 }), delay: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ op: fc.constant("take" as const) }),
      fc.record({ op: fc.constant("done" as const) }),
      fc.record({ op: fc.constant("forget" as const), key: fc.integer({ min: 0, max: 5 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new Workqueue();
        const owed = new Set<string>();
        const running: string[] = [];
        let now = 0;
        for (const s of steps) {
          now += 1;
          if (s.op === "add" || s.op === "addAt") {
            const key = String(s.key);
            if (s.op === "add") queue.add(key, s.trigger, now);
            else queue.addAt(key, "resync", now + s.delay);
            owed.add(key);
          } else if (s.op === "take") {
            const taken = queue.take(now);
            if (!taken) continue;
            expect(running).not.toContain(taken.key);
            running.push(taken.key);
            owed.delete(taken.key);
          } else if (s.op === "done") {
            const key = running.shift();
            if (key !== undefined) queue.done(key, now);
          } else {
            const key = String(s.key);
            queue.forget(key);
            owed.delete(key);
            if (running.includes(key)) running.splice(running.indexOf(key), 1);
          }
        }
        for (const key of running.splice(0)) queue.done(key, now);
        for (;;) {
          const taken = queue.take(now + 1000);
          if (!taken) break;
          owed.delete(taken.key);
          queue.done(taken.key, now + 1000);
        }
        expect([...owed]).toEqual([]);
        expect(queue.inFlight).toBe(0);
        expect(queue.depth).toBe(0);
      }),
    );
  });

  it("forgets a key whole, so that memory is bounded by the keys there are", () => {
    const queue = new Workqueue();
    for (let i = 0; i < 10_000; i++) {
      queue.add(`k${i}`, "intent", 0);
      queue.addAt(`k${i}`, "resync", 10);
      queue.forget(`k${i}`);
    }
    expect(queue.size).toBe(0);
    expect(queue.take(100)).toBeUndefined();
  });
});
