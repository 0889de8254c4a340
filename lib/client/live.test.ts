import { describe, expect, it } from "vitest";
import type { ChangeNotice } from "@/lib/api/contract";
import { fakeClock, toIso } from "@/lib/clock";
import { LiveHub, type Stream } from "./live";

class FakeStream implements Stream {
  readyState = 1;
  #listeners = new Map<string, ((event: { data?: string }) => void)[]>();

  addEventListener(type: string, listener: (event: { data?: string }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }
  close(): void {
    this.readyState = 2;
  }
  emit(type: string, data?: unknown): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ data: data === undefined ? undefined : JSON.stringify(data) });
  }
}

const START = Date.parse("2026-11-30T12:00:00.000Z");
const notice = (name: string): ChangeNotice => ({ type: "MODIFIED", kind: "K", namespace: "n", name, uid: name, resourceVersion: "1" });

function world() {
  const clock = fakeClock(START);
  const streams: FakeStream[] = [];
  const outdated: { names: string[] | "everything"; urgency: string }[] = [];
  const server = { answers: true };
  const hub = new LiveHub({
    clock,
    open: () => {
      const stream = new FakeStream();
      streams.push(stream);
      return stream;
    },
    outdate: (notices, urgency) => outdated.push({ names: notices === "everything" ? notices : notices.map((one) => one.name), urgency }),
    probe: async () => {
      if (!server.answers) throw new Error("down");
      return toIso(clock.now() + 5000);
    },
  });
  hub.start();
  const stream = () => streams[streams.length - 1] ?? new FakeStream();
  const hello = (offsetMs = 0) => stream().emit("hello", { serverTime: toIso(clock.now() + offsetMs) });
  return { clock, streams, outdated, server, hub, stream, hello };
}

describe("the event stream of a tab", () => {
  it("knows how far the server's clock is from its own", () => {
    const { hub, hello } = world();
    hello(-90_000);
    expect(hub.getState()).toMatchObject({ status: "live", offsetMs: -90_000 });
  });

  it("turns a burst of notices into one refetch for each urgency", async () => {
    const { clock, outdated, hello, stream } = world();
    hello();
    for (let i = 0; i < 50; i++) stream().emit("change", [notice("a"), notice("b")]);
    await clock.advance(200);
    expect(outdated).toEqual([{ names: ["a", "b"], urgency: "object" }]);
    await clock.advance(5000);
    expect(outdated.map((entry) => entry.urgency)).toEqual(["object", "list", "total"]);
  });

  it("goes on refetching under a steady flow instead of waiting for silence", async () => {
    const { clock, outdated, hello, stream } = world();
    hello();
    for (let i = 0; i < 20; i++) {
      stream().emit("change", [notice(`x${i}`)]);
      await clock.advance(100);
    }
    expect(outdated.filter((entry) => entry.urgency === "object").length).toBeGreaterThan(5);
  });

  it("refetches everything after a gap", () => {
    const { outdated, hello, stream } = world();
    hello();
    stream().emit("gap", {});
    expect(outdated).toEqual([{ names: "everything", urgency: "everything" }]);
  });

  it("says that it reconnects, and refetches everything once it is back", () => {
    const { hub, outdated, hello, stream } = world();
    hello();
    stream().readyState = 0;
    stream().emit("error");
    expect(hub.getState().status).toBe("reconnecting");
    stream().readyState = 1;
    hello();
    expect(hub.getState().status).toBe("live");
    expect(outdated).toEqual([{ names: "everything", urgency: "everything" }]);
  });

  it("opens a new stream where the browser gave up, ever more slowly, and never two at once", async () => {
    const { clock, streams, stream, server } = world();
    server.answers = false;
    for (let i = 0; i < 4; i++) {
      stream().readyState = 2;
      stream().emit("error");
      await clock.advance(1000 * 2 ** i - 1);
      expect(streams.filter((one) => one.readyState !== 2).length).toBe(0);
      await clock.advance(1);
      expect(streams.filter((one) => one.readyState !== 2).length).toBe(1);
    }
  });

  it("asks every 15 seconds while there is no stream", async () => {
    const { clock, hub, outdated, stream } = world();
    stream().readyState = 0;
    stream().emit("error");
    await clock.advance(15_000);
    expect(hub.getState()).toMatchObject({ status: "polling", offsetMs: 5000 });
    await clock.advance(30_000);
    expect(outdated.length).toBe(3);
  });

  it("says since when nothing has answered, and recovers by itself", async () => {
    const { clock, hub, server, hello, stream } = world();
    hello();
    server.answers = false;
    stream().readyState = 0;
    stream().emit("error");
    await clock.advance(60_000);
    expect(hub.getState()).toMatchObject({ status: "stale", lastOkAt: START });
    server.answers = true;
    await clock.advance(15_000);
    expect(hub.getState().status).toBe("polling");
  });

  it("holds everything still while paused, and catches up on resuming", async () => {
    const { clock, hub, outdated, hello, stream } = world();
    hello();
    hub.setPaused(true);
    stream().emit("change", [notice("a")]);
    await clock.advance(60_000);
    expect(outdated).toEqual([]);
    expect(hub.getState()).toMatchObject({ status: "paused", held: 1 });
    hub.setPaused(false);
    expect(outdated.map((entry) => entry.urgency)).toEqual(["object", "list", "total"]);
    expect(hub.getState()).toMatchObject({ status: "live", held: 0 });
  });

  it("stops everything when the tab leaves", async () => {
    const { clock, hub, outdated, streams, hello, stream } = world();
    hello();
    stream().emit("change", [notice("a")]);
    hub.stop();
    await clock.advance(120_000);
    expect(outdated).toEqual([]);
    expect(streams.every((one) => one.readyState === 2)).toBe(true);
  });

  it("survives lines that are not what they should be", () => {
    const { hub, stream, hello } = world();
    hello();
    stream().emit("change", "nonsense");
    stream().emit("change", [null, 3, {}]);
    stream().emit("hello");
    expect(hub.getState().status).toBe("live");
  });
});
