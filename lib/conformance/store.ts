import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { type Clock, systemClock } from "@/lib/clock";
import { openStore, type Store } from "@/lib/store/prisma";
import { migrate } from "@/lib/store/prisma/migrate";

let template: Promise<string> | undefined;

/** An empty migrated database of its own on the shared test server. */
export async function createTestDatabase(): Promise<string> {
  const server = inject("databaseServer");
  template ??= (async () => {
    const name = `template_${randomUUID().replaceAll("-", "")}`;
    await execute(server, `create database ${name}`);
    await migrate(withDatabase(server, name));
    return name;
  })();
  const from = await template;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await execute(server, `create database ${name} template ${from}`);
  return withDatabase(server, name);
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

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
