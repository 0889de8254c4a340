import { randomUUID } from "node:crypto";
import pg from "pg";

/** The migrated, empty database of a test run's server, which each test copies. */
export const TEMPLATE = "setpoint_template";

/** A name that no other database has. */
export function newDatabaseName(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

/** The URL of another database on the same server. */
export function urlOfDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** One statement on a connection of its own. */
export async function executeOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
