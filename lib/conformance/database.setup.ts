import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbedded } from "@/lib/store/prisma/embedded";
import { migrate } from "@/lib/store/prisma/migrate";
import { executeOn, TEMPLATE, urlOfDatabase } from "./databases";

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's URL of the PostgreSQL server that the whole test run shares. */
    databaseServer: string;
  }
}

/** One real server for all test files, in a temporary folder; each test makes its own database in it, from a template that is migrated once. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "setpoint-test-"));
  const quiet = {
    info: () => undefined,
    warn: (message: string) => console.warn(message),
    error: (message: string) => console.error(message),
  };
  const server = await startEmbedded({ dataDir, log: quiet });
  // Nothing here outlives the run: what makes it durable would only make it slow.
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"])
    await executeOn(server.url, `alter system set ${setting} = off`);
  await executeOn(server.url, "select pg_reload_conf()");
  await executeOn(server.url, `create database ${TEMPLATE}`);
  await migrate(urlOfDatabase(server.url, TEMPLATE));
  project.provide("databaseServer", server.url);
  return async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  };
}
