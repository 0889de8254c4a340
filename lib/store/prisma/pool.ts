import pg from "pg";
import { SetpointError } from "@/lib/errors";

// bigint columns hold revisions and counters below 2^53: numbers in JSON rows already, so numbers here too.
const INT8 = 20;
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8 ? String : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** A pool whose idle clients survive a restart of the server, with bounds on everything that could hang. */
export function openPool(databaseUrl: string, max = 10, log: (message: string) => void = () => {}): Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    types,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: "setpoint",
  });
  // Without this listener a terminated backend would end the process.
  pool.on("error", (error) => log(`store: idle connection lost: ${error.message}`));
  return pool;
}

/** The advisory lock under which revisions are given out; see the resource_feed migration. */
export const REVISION_LOCK = "7270736902";

/** Runs `work` in a transaction that takes the revision lock first, so that no later row lock can deadlock with it. */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    await client.query(`begin; select pg_advisory_xact_lock(${REVISION_LOCK})`);
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((rollback: Error) => {
      broken = rollback;
    });
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

/** Thrown inside `inTransaction` to undo everything and still answer: a dry run. */
export class RolledBack<T> extends Error {
  constructor(readonly value: T) {
    super("rolled back on purpose");
  }
}

const UNAVAILABLE = /^(08|57P0|53300)/;

/** True when the store itself cannot be reached just now, as against a fault of the statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string")
    return UNAVAILABLE.test(code) || ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT", "ETIMEDOUT"].includes(code);
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(error.message);
}

/** Rethrows what the store's driver threw as an error of the catalogue. */
export function storeError(error: unknown): never {
  if (error instanceof SetpointError) throw error;
  if (isUnavailable(error))
    throw new SetpointError("ServiceUnavailable", "The store cannot be reached right now.", { cause: error, retryAfterSeconds: 1 });
  throw error;
}
