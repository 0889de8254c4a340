import { describe, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import { SetpointError } from "@/lib/errors";
import type { EngineStore } from "@/lib/store";
import { audit, by, create, inState, itemController, key, openStore, Shelf, startEngine } from "./testing/shelf";

describe("a worker that was cut from the feed for longer than the feed is kept", () => {
  it("notices at once, reads all that it holds again, and misses nothing of what happened meanwhile", async () => {
    // Without notifications the feed is asked for every second.
    const store = await openStore({ notify: false });
    const shelf = new Shelf();
    let cut = false;
    const logged: string[] = [];
    const feed: EngineStore["feed"] = async (revision, limit) => {
      if (cut) throw new SetpointError("ServiceUnavailable", "The feed cannot be read.");
      return store.engine.feed(revision, limit);
    };
    await startEngine(
      store,
      itemController(() => shelf),
      {
        store: { ...store.engine, feed },
        log: (message) => logged.push(message),
      },
    );
    for (const name of ["changed", "deleted", "paused"]) await create(store, name);
    for (const name of ["changed", "deleted", "paused"]) await inState(store, name, "Converged");

    cut = true;
    await store.resources.mutate(key("changed"), by, () => ({ spec: { value: "two" }, audit: audit("changed") }));
    await store.resources.mutate(key("deleted"), by, () => ({ deletion: true, audit: audit("deleted") }));
    const paused = { by: "ana", reason: "migration", since: "2026-01-01T00:00:00.000Z" };
    await store.resources.mutate(key("paused"), by, ({ control }) => ({ control: { ...control, paused }, audit: audit("paused") }));
    await create(store, "created");
    const { looks } = shelf;
    await eventually("it looks on without the feed", () => shelf.looks >= looks + 6);
    await store.pool.query("update change set at = at - interval '2 hours'");
    await store.engine.prune();
    cut = false;

    const { metadata } = await inState(store, "changed", "Converged");
    expect(shelf.values.get(metadata.uid)).toBe("two");
    await inState(store, "created", "Converged");
    await inState(store, "paused", "Paused");
    await eventually("what was deleted has left", async () => !(await store.resources.get(key("deleted"))));
    expect(logged.filter((line) => line.includes("all that is held was read again"))).toHaveLength(1);
    // And it goes on from there by the feed.
    await store.resources.mutate(key("changed"), by, () => ({ spec: { value: "three" }, audit: audit("changed") }));
    await inState(store, "changed", "Converged");
    expect(shelf.values.get(metadata.uid)).toBe("three");
  });
});
