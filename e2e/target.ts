/** A real PostgreSQL server to manage roles on, behind a proxy that records every statement. */
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import type { Client } from "./client";

export interface Target {
  postgres: TestPostgres;
  proxy: RecordingProxy;
  stop(): Promise<void>;
}

export async function startTarget(): Promise<Target> {
  const postgres = await startPostgres();
  const proxy = await startProxy(postgres);
  return {
    postgres,
    proxy,
    async stop() {
      await proxy.close();
      await postgres.stop();
    },
  };
}

/** Declares the target as PostgresServer `name`, reached through the proxy, with its password in the Secret `name`-login. */
export async function declareTarget(client: Client, { postgres, proxy }: Target, name = "main"): Promise<void> {
  await client.create("secrets", `${name}-login`, { values: { password: postgres.password } });
  await client.create("postgresservers", name, {
    host: postgres.host,
    port: proxy.port,
    user: postgres.user,
    passwordFrom: { secret: `${name}-login`, key: "password" },
  });
}
