import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedServer, startEmbedded } from "./embedded";
import { migrate, sqlOfSchema } from "./migrate";

const ROOT = process.cwd();
let folder: string;
let server: EmbeddedServer;
let made = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-migrate-"));
  server = await startEmbedded({ dataDir: folder, log: { info: () => undefined, warn: () => undefined } });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results = await client.query(text);
    return Array.isArray(results) ? [] : results.rows;
  } finally {
    await client.end();
  }
}

async function emptyDatabase(): Promise<string> {
  const name = `made_${++made}`;
  await query(server.url, `create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** A clone's prisma folder with one more migration. */
async function rootWith(name: string, sql: string): Promise<string> {
  const root = await mkdtemp(path.join(folder, "root-"));
  await cp(path.join(ROOT, "prisma"), path.join(root, "prisma"), { recursive: true, filter: (source) => !source.includes("generated") });
  await cp(path.join(ROOT, "prisma/migrations/20261130000000_init"), path.join(root, "prisma/migrations", name), { recursive: true });
  await writeFile(path.join(root, "prisma/migrations", name, "migration.sql"), sql);
  return root;
}

/** Tables, columns and indexes, without what only migrations can say. */
async function shapeOf(url: string) {
  const columns = await query(
    url,
    `select table_name, column_name, data_type, udt_name, is_nullable, datetime_precision, column_default
     from information_schema.columns where table_schema = 'public' and table_name <> '_prisma_migrations' order by 1, 2`,
  );
  const indexes = await query(
    url,
    "select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' and tablename <> '_prisma_migrations' order by 1, 2",
  );
  const keys = await query(
    url,
    `select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition from pg_constraint
     where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f') and conrelid::regclass::text <> '_prisma_migrations' order by 1, 2`,
  );
  return { columns, indexes, keys };
}

describe("migrations", () => {
  test("say the same as schema.prisma", async () => {
    const [migrated, declared] = [await emptyDatabase(), await emptyDatabase()];
    await migrate(migrated);
    await query(declared, await sqlOfSchema(declared));
    const shape = await shapeOf(migrated);
    expect(shape.columns.length).toBeGreaterThan(50);
    expect(shape).toEqual(await shapeOf(declared));
  });

  test("leave the feed's function with the plan it needs, and never compiled: to replace it would drop what is set for it", async () => {
    const url = await emptyDatabase();
    await migrate(url);
    const settings = await query(url, "select unnest(proconfig) as setting from pg_proc where proname = 'resource_feed' order by 1");
    expect(settings.map(({ setting }) => setting)).toEqual(["enable_mergejoin=off", "enable_nestloop=off", "jit=off"]);
  });

  test("are applied once, however many start at the same time", async () => {
    const url = await emptyDatabase();
    const results = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(results.filter((result) => result.applied.length > 0)).toHaveLength(1);
    expect((await migrate(url)).applied).toEqual([]);
  });

  test("that fail leave nothing half done, and say what the database said", async () => {
    const url = await emptyDatabase();
    const root = await rootWith("20990101000000_broken", "create table half (id int); select * from missing_table;");
    await expect(migrate(url, root)).rejects.toMatchObject({
      reason: "ServiceUnavailable",
      message: expect.stringContaining("missing_table"),
    });
    expect(await query(url, "select to_regclass('half') as half")).toEqual([{ half: null }]);
  });

  test("may hold functions with semicolons in their bodies", async () => {
    const url = await emptyDatabase();
    const body = "create function two() returns int language plpgsql as $$ begin perform 1; return 2; end $$;";
    await migrate(url, await rootWith("20990101000000_function", body));
    expect(await query(url, "select two()")).toEqual([{ two: 2 }]);
  });

  test("report a server that cannot be reached", async () => {
    await expect(migrate("postgresql://nobody@127.0.0.1:9/none")).rejects.toMatchObject({ reason: "ServiceUnavailable" });
  });
});
