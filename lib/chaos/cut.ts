/** A proxy before the target, and a role that must come out right whatever happens to what is said between. */
import type { RecordingProxy } from "@/lib/conformance/proxy";
import { until } from "./until";
import type { World } from "./world";

export const CUTS = ["late answers", "slow drip", "refused", "cut request", "cut response", "half an answer"] as const;
export type CutName = (typeof CUTS)[number];

export interface CutReport {
  fault: CutName;
  /** How often the role was created at the server, by what was said to it. */
  creations: number;
  /** Statements that could change something. */
  writes: number;
}

const COMMIT_CUTS = { "cut request": "before", "cut response": "after", "half an answer": "half" } as const;

/** Creates, changes and deletes one role under a fault. The worker must run already, its server `main` behind the proxy. */
export async function cutRound(world: World, proxy: RecordingProxy, fault: CutName): Promise<CutReport> {
  const name = `role-${fault.replaceAll(" ", "-")}`;
  const commitCut = Object.entries(COMMIT_CUTS).find(([cut]) => cut === fault)?.[1];
  proxy.forget();
  const inject = async (settled: () => Promise<void>) => {
    const before = proxy.trapped;
    if (fault === "late answers") proxy.delay(100);
    if (fault === "slow drip") proxy.drip(40, 2);
    if (fault === "refused") proxy.refuse(true);
    if (commitCut) proxy.cutAt(/^\s*commit\b/i, commitCut, true);
    await settled();
    if (commitCut && proxy.trapped === before) throw new Error(`${fault}: nothing was cut`);
    proxy.delay(0);
    proxy.drip(0, 0);
  };
  const refusedFirst = async () => {
    if (fault !== "refused") return;
    await until("the report says why", async () => (await world.get("PostgresRole", name))?.status?.reason === "Unreachable");
    proxy.refuse(false);
  };

  await world.create("PostgresRole", name, { server: "main", name, connectionLimit: 1 });
  await inject(async () => {
    await refusedFirst();
    await world.settled(120_000, name);
  });
  await expectRole(world, name, 1);
  const creations = proxy.statements.filter((text) => /\bcreate role\b/i.test(text) && text.includes(name)).length;

  await inject(async () => {
    await world.update("PostgresRole", name, { connectionLimit: 2 });
    await refusedFirst();
    await world.settled(120_000, name);
  });
  await expectRole(world, name, 2);

  await inject(async () => {
    await world.remove("PostgresRole", name);
    if (fault === "refused") proxy.refuse(false);
    await world.settled(120_000, name);
  });
  const left = await world.server.query("select 1 from pg_roles where rolname = $1", [name]);
  if (left.length > 0) throw new Error(`${fault}: role ${name} outlived its object`);
  // What happened is found, not done again; what did not happen is done.
  const expected = fault === "cut request" ? 2 : 1;
  if (creations !== expected) throw new Error(`${fault}: ${creations} creations instead of ${expected}`);
  return { fault, creations, writes: proxy.writes().length };
}

async function expectRole(world: World, name: string, limit: number): Promise<void> {
  const rows = await world.server.query("select rolconnlimit as limit from pg_roles where rolname = $1", [name]);
  if (rows.length !== 1 || rows[0]?.limit !== limit) throw new Error(`role ${name} is ${JSON.stringify(rows)}, not limit ${limit}`);
}
