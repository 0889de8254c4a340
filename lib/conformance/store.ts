import { inject } from "vitest";
import { type Clock, systemClock } from "@/lib/clock";
import { openStore, type Store } from "@/lib/store/prisma";
import { executeOn, newDatabaseName, TEMPLATE, urlOfDatabase } from "./databases";

/** An empty migrated database of its own on the shared test server. */
export async function createTestDatabase(): Promise<string> {
  const server = inject("databaseServer");
  const name = newDatabaseName("test");
  await executeOn(server, `create database ${name} template ${TEMPLATE}`);
  return urlOfDatabase(server, name);
}

/** A store on a database of its own; close it when done. */
export async function openTestStore({
  clock = systemClock,
  notify = true,
}: {
  clock?: Clock;
  notify?: boolean;
} = {}): Promise<Store & { databaseUrl: string }> {
  const databaseUrl = await createTestDatabase();
  const store = await openStore({ databaseUrl, clock, notify, log: () => undefined });
  return { ...store, databaseUrl };
}

/** Waits until `condition` gives something truthy, looking every 10 ms; fails with `what` after `timeoutMs`. */
export async function eventually<T>(what: string, condition: () => T | Promise<T>, timeoutMs = 10_000): Promise<NonNullable<T>> {
  const end = systemClock.monotonic() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value as NonNullable<T>;
    if (systemClock.monotonic() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await systemClock.sleep(10);
  }
}
