/** Setpoint's own PostgreSQL server: npm's binaries, run and supervised as a child. See README.md. */
import path from "node:path";
import { prepareCluster, ROLE } from "./cluster";
import { lockFolder } from "./lock";
import { findPlace, type PlaceRequest } from "./place";
import { ensureDatabase, urlOf } from "./postmaster";
import { type EmbeddedLog, Supervisor } from "./server";

export { type FolderLock, lockDataDir } from "./lock";
export type { EmbeddedLog } from "./server";

export interface EmbeddedOptions {
  /** The data folder of Setpoint, absolute. */
  dataDir: string;
  /** False when nobody chose the folder: then root may keep the data elsewhere if `dataDir` cannot be reached. Default true. */
  dataDirConfigured?: boolean;
  log: EmbeddedLog;
  /** Where root keeps what cannot be reached in place; another folder only in tests. */
  sharedRoot?: string;
}

export interface EmbeddedServer {
  /** A superuser's URL of the product's database, on loopback. The same for as long as this process lives. */
  url: string;
  /** Stops the server within seconds. */
  close(): Promise<void>;
}

/** Starts, or adopts, the embedded server of a data folder and keeps it running until it is closed. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const request: PlaceRequest = { ...options, dataDirConfigured: options.dataDirConfigured ?? true };
  const place = await findPlace(request);
  // Folders can be copied, and a copy points to the same server: so the server's own folder is locked too.
  const lock = await lockFolder(
    path.join(place.home, "lock"),
    ({ pid, since }) => `The embedded PostgreSQL in ${place.home} belongs to another Setpoint process: pid ${pid}, started ${since}.`,
  );
  const supervisor = new Supervisor(place, options.log);
  try {
    const { password, created } = await prepareCluster(place);
    if (created) options.log.info(`Created the data folder of the embedded PostgreSQL in ${place.home}.`);
    const port = await supervisor.start(password);
    await ensureDatabase(port, password);
    return {
      url: urlOf(port, password, ROLE),
      async close() {
        await supervisor.close();
        await lock.release();
      },
    };
  } catch (error) {
    await supervisor.close();
    await lock.release();
    throw error;
  }
}
