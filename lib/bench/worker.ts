/** One worker in a process of its own, for the works that need several: `worker.mjs DATABASE_URL LEASE_TTL_MS`. Ends on SIGTERM. */
import { openWorld } from "./world";

const [databaseUrl = "", leaseTtlMs = ""] = process.argv.slice(2);
const world = await openWorld(databaseUrl, { leaseTtlMs: Number(leaseTtlMs), resyncMs: 60_000 });
process.once("SIGTERM", () => void world.close().then(() => process.exit(0)));
process.stdout.write("running\n");
