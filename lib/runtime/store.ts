import { systemClock } from "@/lib/clock";
import type { Logger } from "@/lib/observability";
import { openStore, type Store } from "@/lib/store/prisma";
import { lockDataDir, startEmbedded } from "@/lib/store/prisma/embedded";
import { migrate } from "@/lib/store/prisma/migrate";
import type { Config } from "./config";

type Undo = () => Promise<void>;

/** Locks the data folder, starts the embedded server where none is configured, migrates, opens. `close` undoes all in reverse. */
export async function prepareStore(config: Config, log: Logger): Promise<{ store: Store; close: Undo }> {
  const undo: Undo[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (config.role === "all") {
      const lock = await lockDataDir(config.dataDir);
      undo.push(() => lock.release());
    }
    let { databaseUrl } = config;
    if (!databaseUrl) {
      const server = await startEmbedded({ dataDir: config.dataDir, dataDirConfigured: config.dataDirConfigured, log });
      undo.push(() => server.close());
      databaseUrl = server.url;
    }
    const { applied } = await migrate(databaseUrl);
    if (applied.length > 0) log.info(`Migrated the store: ${applied.join(", ")}.`);
    const store = await openStore({ databaseUrl, clock: systemClock, notify: config.notify, log: (message) => log.warn(message) });
    undo.push(() => store.close());
    return { store, close };
  } catch (error) {
    await close();
    throw error;
  }
}
