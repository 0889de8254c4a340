import { describe, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import { SetpointError } from "@/lib/errors";
import type { BatchName, Report } from "@/lib/store";
import { audit, by, create, inState, itemController, key, openStore, Shelf, startEngine } from "./testing/shelf";

describe("what a worker reads again because its report was refused", () => {
  it("never takes the place of newer intent that the feed has told meanwhile", async () => {
    const store = await openStore();
    const shelf = new Shelf();
    const { metadata } = await create(store, "a");
    let refused = false;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let asked = 0;
    await startEngine(
      store,
      itemController(() => shelf),
      {
        store: {
          ...store.engine,
          // Told to be refused once everything is stored and at rest.
          async report(reports: Report[]) {
            const verdict = await store.engine.report(reports);
            if (refused || !reports.some(({ status }) => status?.state === "Converged")) return verdict;
            refused = true;
            return { dropped: reports.map(({ uid }) => uid) };
          },
        },
        resources: {
          ...store.resources,
          async getByUid(uid) {
            const row = await store.resources.getByUid(uid);
            asked += 1;
            // The first answer is on its way for a long time.
            if (asked === 1) await answered;
            return row;
          },
        },
      },
    );
    await eventually("it is read again", () => asked === 1);
    let { looks } = shelf;
    await store.resources.mutate(key("a"), by, () => ({ spec: { value: "two" }, audit: audit("a") }));
    await eventually("the feed has told", () => shelf.looks > looks && shelf.values.get(metadata.uid) === "two");
    await inState(store, "a", "Converged");
    ({ looks } = shelf);
    await eventually("nothing more comes by the feed", () => shelf.looks > looks + 3);
    answer();
    ({ looks } = shelf);
    await eventually("it looks on", () => shelf.looks > looks);
    shelf.values.set(metadata.uid, "broken");
    await eventually("healed to the newest intent", () => shelf.values.get(metadata.uid) === "two");
    expect((await inState(store, "a", "Converged")).spec.value).toBe("two");
  });

  it("never takes the place of what was found since and is not written yet: a failed attempt is counted once", async () => {
    const store = await openStore();
    const shelf = new Shelf();
    const { metadata } = await create(store, "a");
    let write = () => {};
    const written = new Promise<void>((resolve) => {
      write = resolve;
    });
    let held = false;
    const engine = {
      ...store.engine,
      // The first report of convergence is on its way for a long time.
      async report(reports: Report[], batch?: BatchName) {
        if (!held && reports.some(({ status }) => status?.state === "Converged")) {
          held = true;
          await written;
        }
        return store.engine.report(reports, batch);
      },
    };
    await startEngine(
      store,
      itemController(() => shelf),
      { store: engine },
    );
    await eventually("a report is on its way", () => held);
    shelf.fault = new SetpointError("Unreachable", "connection refused");
    await store.resources.mutate(key("a"), by, () => ({ spec: { value: "two" }, audit: audit("a") }));
    const { looks } = shelf;
    await eventually("new intent was looked at, in vain", () => shelf.looks > looks);
    write();
    const failed = async () => (await store.history.passes(metadata.uid, 50)).filter(({ outcome }) => outcome === "failed").reverse();
    await eventually("it was tried again", async () => (await failed()).length >= 2);
    expect((await failed()).slice(0, 2).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});
