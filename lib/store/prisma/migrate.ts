/**
 * Migrations by Prisma's own schema engine, in its WebAssembly build, through the driver adapter: nothing is
 * downloaded, and the history is the standard `_prisma_migrations`, so that Prisma's command line works on the same database.
 * The engine is an internal package of Prisma, pinned exactly and used in this file alone.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, type SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engineModule from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { SetpointError } from "@/lib/errors";
import { findInstalled } from "./embedded/binaries";

/** Ours; Prisma's engine takes 72707369 itself. */
const LOCK = "7270736901";
const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** Brings the database to the newest schema. Several processes may call it at once: one works, the others wait and find nothing to do. */
export async function migrate(databaseUrl: string, root: string = process.cwd()): Promise<{ applied: string[] }> {
  const lock = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  // Without a listener a broken connection would end the process; the next query reports it.
  lock.on("error", () => undefined);
  try {
    await lock.connect();
    await lock.query("SELECT pg_advisory_lock($1::bigint)", [LOCK]);
    const migrationsList = await readMigrations(path.join(root, "prisma", "migrations"));
    const { appliedMigrationNames } = await withEngine(databaseUrl, root, (engine) =>
      engine.applyMigrations({ migrationsList, filters: NO_FILTERS }),
    );
    return { applied: appliedMigrationNames };
  } catch (cause) {
    throw new SetpointError("ServiceUnavailable", `The database could not be brought to this version's schema: ${messageOf(cause)}`, {
      cause,
    });
  } finally {
    await lock.end();
  }
}

/** The SQL that makes an empty database match `prisma/schema.prisma`, for the test that keeps migrations in step with it. */
export async function sqlOfSchema(databaseUrl: string, root: string = process.cwd()): Promise<string> {
  const to = { tag: "schemaDatamodel" as const, files: [await readSchema(root)] };
  const { stdout } = await withEngine(databaseUrl, root, (engine) =>
    engine.diff({ from: { tag: "empty" }, to, script: true, filters: NO_FILTERS, exitCode: null }),
  );
  return stdout ?? "";
}

type Engine = Awaited<ReturnType<typeof engineModule.SchemaEngine.new>>;

/** The engine keeps its connection, and the lock on it, until the adapters are disposed of: so they are, whatever happens. */
async function withEngine<T>(databaseUrl: string, root: string, use: (engine: Engine) => Promise<T>): Promise<T> {
  await loadEngine();
  const { path: name, content } = await readSchema(root);
  const opened: Adapter[] = [];
  const ignoreLogs = () => undefined;
  const factory = bindMigrationAwareSqlAdapterFactory(adapterFor(databaseUrl, opened));
  try {
    return await use(await engineModule.SchemaEngine.new({ datamodels: [[name, content]] }, ignoreLogs, factory));
  } finally {
    await Promise.all(opened.map((adapter) => adapter.dispose()));
  }
}

async function readSchema(root: string): Promise<{ path: string; content: string }> {
  return { path: "schema.prisma", content: await readFile(path.join(root, "prisma", "schema.prisma"), "utf8") };
}

type Adapter = Awaited<ReturnType<PrismaPg["connect"]>>;

/** adapter-pg splits scripts at every ";", which breaks functions and leaves failed migrations half applied: send each whole, in one transaction. */
function adapterFor(connectionString: string, opened: Adapter[]): SqlMigrationAwareDriverAdapterFactory {
  const base = new PrismaPg({ connectionString, max: 1 });
  const whole = async (connecting: Promise<Adapter>): Promise<Adapter> => {
    const adapter = await connecting;
    opened.push(adapter);
    adapter.executeScript = async (script) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    };
    return adapter;
  };
  return {
    provider: base.provider,
    adapterName: base.adapterName,
    connect: () => whole(base.connect()),
    connectToShadowDb: () => whole(base.connectToShadowDb()),
  };
}

let loading: Promise<void> | undefined;

function loadEngine(): Promise<void> {
  loading ??= instantiate();
  return loading;
}

async function instantiate(): Promise<void> {
  const folder = await findInstalled("@prisma/schema-engine-wasm");
  if (!folder) throw new SetpointError("InternalError", "The package @prisma/schema-engine-wasm is not installed: run npm ci.");
  let panic = "";
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message(message: string) {
        panic = message;
      },
      get: () => panic,
    },
  });
  const code = await readFile(path.join(folder, "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(code, { "./schema_engine_bg.js": { ...engineModule } });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === "function") start();
}

async function readMigrations(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir: folder,
    lockfile: { path: "migration_lock.toml", content: await readFile(path.join(folder, "migration_lock.toml"), "utf8") },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: "migration.sql",
          content: { tag: "ok" as const, value: await readFile(path.join(folder, name, "migration.sql"), "utf8") },
        },
      })),
    ),
  };
}

function messageOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split("\n").slice(0, 6).join("\n");
}
