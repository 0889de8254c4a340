import { systemClock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { openMemoryStore } from "@/lib/store/memory";
import { openStore, type Store } from "@/lib/store/prisma";
import { migrate } from "@/lib/store/prisma/migrate";
import { startPostgres } from "./postgres";
import { startProxy } from "./proxy";
import { openTestStore } from "./store";
import { describeStore, type StoreUnderTest } from "./store-contract";

/** Where a transaction or a statement that is one of its own ends. */
const COMMIT = /^\s*(commit\b|with (created|facts)\b|select report\()/i;

async function onPostgres(store: Store & { databaseUrl: string }, closeServer: () => Promise<void>): Promise<StoreUnderTest> {
  const url = new URL(store.databaseUrl);
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const behind = await openStore({ databaseUrl: url.href, clock: systemClock, notify: false, log: () => undefined });
  return {
    ...store,
    async audit(uid) {
      if (uid === "") return [];
      const { rows } = await store.pool.query("select actor, verb, outcome, error, generation::int from audit where uid = $1 order by id", [
        uid,
      ]);
      return rows;
    },
    async pauseKind(kind, pause) {
      const audit = { actor: "ada", verb: "pause", kind, namespace: "", name: "", outcome: "done" } as const;
      await store.console.setKindPause(kind, pause, { name: "ada" }, audit);
    },
    async ageChanges() {
      await store.pool.query("update change set at = at - interval '2 hours'");
    },
    breaking(when, work) {
      proxy.cutAt(COMMIT, when);
      return work(behind);
    },
    async close() {
      await behind.close();
      await proxy.close();
      await store.close();
      await closeServer();
    },
  };
}

describeStore("memory", async () => {
  const store = openMemoryStore(systemClock);
  return {
    ...store,
    audit: async (uid) => store.tables.audit.filter((row) => row.uid === uid),
    async pauseKind(kind, pause) {
      if (pause) store.tables.kindPauses.set(kind, pause);
      else store.tables.kindPauses.delete(kind);
    },
    async ageChanges() {
      for (const change of store.tables.changes) change.at -= 7_200_000;
    },
    async breaking(when, work) {
      if (when === "after") await work(store);
      throw new SetpointError("ServiceUnavailable", "The connection broke.");
    },
    close: async () => undefined,
  };
});

describeStore("embedded PostgreSQL", async () => onPostgres(await openTestStore(), async () => undefined));

describeStore("a PostgreSQL server", async () => {
  const server = await startPostgres();
  await server.query("create database contract");
  const { user, password, host, port } = server;
  const databaseUrl = `postgres://${user}:${password}@${host}:${port}/contract`;
  await migrate(databaseUrl);
  const store = await openStore({ databaseUrl, clock: systemClock, notify: true, log: () => undefined });
  return onPostgres({ ...store, databaseUrl }, () => server.stop());
});
