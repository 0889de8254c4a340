import { afterEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "@/lib/clock";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import { eventually, openTestStore } from "@/lib/conformance/store";
import { changeSignal } from "./signal";

/** Everything that waits, waits a twentieth: the round trip every 10 s is made every half second. */
const hasty: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 20, callback) };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listening(proxy?: RecordingProxy) {
  const store = await openTestStore({ notify: false });
  closers.push(() => store.close());
  const url = new URL(store.databaseUrl);
  const between = proxy ?? (await startProxy({ host: url.hostname, port: Number(url.port) }));
  closers.push(() => between.close());
  url.port = String(between.port);
  const heard = { wakes: 0, uids: new Set<string>(), moves: 0 };
  const signal = changeSignal(url.href, hasty, true, () => undefined);
  closers.push(() => signal.close());
  signal.subscribe((uid) => {
    heard.wakes += 1;
    if (uid) heard.uids.add(uid);
  });
  signal.onMove(() => {
    heard.moves += 1;
  });
  await eventually("listening", () => signal.healthy());
  const say = (channel: string, text: string) => store.pool.query("select pg_notify($1, $2)", [channel, text]);
  /** Notifications arrive: said again until heard, as the connection may be a moment old. */
  const hears = (text: string) =>
    eventually(`hears ${text}`, async () => {
      await say("setpoint_wake", text);
      return heard.uids.has(text);
    });
  return { store, signal, heard, say, hears, proxy: between };
}

describe("the listening connection", () => {
  it("passes on who wants a look, that the feed grew, and that leases moved", async () => {
    const { heard, hears, say } = await listening();
    await hears("one");
    const { moves } = heard;
    await say("setpoint_lease", "");
    await eventually("told of moves", () => heard.moves > moves);
  });

  it("is replaced when its backend is ended, and everything is read again", async () => {
    const { store, heard, hears, signal } = await listening();
    const { wakes, moves } = heard;
    const listeners = "from pg_stat_activity where application_name = 'setpoint-listen' and datname = current_database()";
    const { rows } = await store.pool.query(`select pid, pg_terminate_backend(pid) ${listeners}`);
    await eventually("another backend", async () => {
      const now = await store.pool.query(`select pid ${listeners}`);
      return now.rows.some(({ pid }) => pid !== rows[0].pid) && signal.healthy();
    });
    expect(heard.wakes).toBeGreaterThan(wakes);
    expect(heard.moves).toBeGreaterThan(moves);
    await hears("two");
  });

  it("is noticed when it goes silent without an end; meanwhile polls go on, and it is replaced once answers come again", async () => {
    const { signal, heard, hears, proxy } = await listening();
    proxy.mute(true);
    await eventually("noticed", () => !signal.healthy());
    const { wakes } = heard;
    await eventually("polls", () => heard.wakes >= wakes + 3);
    proxy.mute(false);
    await eventually("replaced", () => signal.healthy(), 30_000);
    await hears("three");
  });

  it("is tried again with growing pauses while nobody can be reached, and polls go on", async () => {
    const { signal, heard, hears, proxy } = await listening();
    proxy.refuse(true);
    await eventually("noticed", () => !signal.healthy());
    const { wakes } = heard;
    const { connections } = proxy;
    await eventually("polls", () => heard.wakes >= wakes + 20);
    expect(proxy.connections - connections).toBeLessThan(20);
    proxy.refuse(false);
    await eventually("listening again", () => signal.healthy(), 30_000);
    await hears("four");
  });
});
