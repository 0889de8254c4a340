import { PrismaPg } from "@prisma/adapter-pg";
import type { Clock } from "@/lib/clock";
import type { JsonObject } from "@/lib/resource";
import { PrismaClient } from "@/prisma/generated/client";
import type { ChangeSignal, Claim, EngineStore, HistoryStore, ResourceStore } from "..";
import type { AccessStore } from "../access";
import type { CatalogueStore } from "../catalogue";
import type { CollectionStore } from "../collection";
import type { ConsoleStore } from "../console";
import type { UserStore } from "../users";
import { accessStore } from "./access";
import { catalogueStore } from "./catalogue";
import { restoreClaims } from "./claims";
import { collectionStore } from "./collection";
import { consoleStore } from "./console";
import { engineStore } from "./engine";
import { historyStore } from "./history";
import { openPool, type Pool } from "./pool";
import { resourceStore } from "./resources";
import { changeSignal } from "./signal";
import { userStore } from "./users";

export type { Pool } from "./pool";

export interface Store {
  resources: ResourceStore;
  history: HistoryStore;
  engine: EngineStore;
  console: ConsoleStore;
  catalogue: CatalogueStore;
  collection: CollectionStore;
  users: UserStore;
  access: AccessStore;
  signal: ChangeSignal;
  /** For adapters in this folder that need SQL of their own. */
  pool: Pool;
  prisma: PrismaClient;
  /** Brings the claims of a kind's objects to what `claimsOf` says; the oldest claimant of several holds. For every start. */
  restoreClaims(kind: string, claimsOf: (object: { namespace: string; name: string; spec: JsonObject }) => Claim[]): Promise<void>;
  /** This installation's id, made on first use; part of every ownership mark. */
  installation: string;
  close(): Promise<void>;
}

export interface StoreOptions {
  databaseUrl: string;
  clock: Clock;
  /** False: notifications are not used at all, only polling. */
  notify: boolean;
  log(message: string): void;
}

/** Opens the migrated store. */
export async function openStore({ databaseUrl, clock, notify, log }: StoreOptions): Promise<Store> {
  const pool = openPool(databaseUrl, 10, log);
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: databaseUrl, max: 4 }) });
  const { rows } = await pool.query(
    "insert into installation (id, uid) values (1, gen_random_uuid()) on conflict (id) do update set id = 1 returning uid",
  );
  const signal = changeSignal(databaseUrl, clock, notify, log);
  return {
    resources: resourceStore(pool),
    history: historyStore(pool),
    engine: engineStore(pool),
    console: consoleStore(pool),
    catalogue: catalogueStore(pool),
    collection: collectionStore(pool),
    users: userStore(prisma, clock),
    access: accessStore(pool),
    signal,
    pool,
    prisma,
    restoreClaims: (kind, claimsOf) => restoreClaims(pool, kind, claimsOf),
    installation: rows[0].uid,
    async close() {
      await signal.close();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
