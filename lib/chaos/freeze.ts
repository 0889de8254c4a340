/** Three workers; the one that holds an object is frozen between permit and effect, or between effect and record, past its lease. */
import { systemClock } from "@/lib/clock";
import type { Orders } from "./orders";
import type { WorkerProcess } from "./process";
import { until } from "./until";
import { HOST, type World } from "./world";

export const FREEZE_TTL_MS = 5_000;

export interface FreezeReport {
  /** Milliseconds from the freeze until another worker had acted on the frozen one's object. */
  takeOverMs: number;
}

/**
 * The workers must have been ordered to freeze there: `object` is `ConfigFile/<name>@2`. Freezes the one that holds it in an update, lets the others take over, changes the intent once more, and thaws it. Throws when the
 * thawed one wrote anything: the file, or a report of the old generation.
 */
export async function freezeRound(
  world: World,
  { point, object }: NonNullable<Orders["freezeAt"]>,
  workers: readonly WorkerProcess[],
): Promise<FreezeReport> {
  const name = object.replace(/^ConfigFile\/|@2$/g, "");
  await world.create("ConfigFile", name, { path: `${name}.conf`, content: "one", host: HOST });
  await Promise.all(workers.map((worker) => worker.started()));
  await world.settled(120_000, name);
  await world.update("ConfigFile", name, { content: "two" });
  const frozen = await until("the holder is frozen", () => workers.find((worker) => worker.frozen()));
  const frozenAt = systemClock.monotonic();
  // Whoever takes over comes to the same point and would freeze too: those are thawed at once.
  const others = workers.filter((worker) => worker !== frozen);
  const thaw = () => {
    for (const worker of others) if (worker.frozen()) worker.signal("SIGCONT");
  };
  await until("another worker has taken over", async () => {
    thaw();
    return (await world.get("ConfigFile", name))?.status?.observedGeneration === 2 && (await world.unsettled(name)).length === 0;
  });
  const takeOverMs = systemClock.monotonic() - frozenAt;
  await world.update("ConfigFile", name, { content: "three" });
  await world.settled(120_000, name);
  const before = await world.get("ConfigFile", name);
  const acts = (await world.acts("ConfigFile", name)).length;

  frozen.signal("SIGCONT");
  // It is back when it has renewed its place among the workers; what it was about to do comes before that.
  await until("the thawed worker is back", async () => {
    const { rows } = await world.store.pool.query("select 1 from worker where pid = $1 and expires_at > clock_timestamp()", [frozen.pid]);
    return rows.length > 0;
  });
  const open = async () => (await world.acts("ConfigFile", name)).filter(({ outcome }) => outcome === "pending");
  await until("what it was about to do is settled", async () => (await open()).length === 0);
  await world.settled(120_000, name);
  const content = world.fileOf(`${name}.conf`);
  if (content !== "three") throw new Error(`the thawed worker wrote an older intent: ${name}.conf holds ${content}`);
  const after = await world.get("ConfigFile", name);
  if (after?.metadata.resourceVersion !== before?.metadata.resourceVersion) throw new Error("the thawed worker wrote a stale report");
  const { length } = await world.acts("ConfigFile", name);
  if (length !== acts) throw new Error(`${length - acts} acts more after the thaw`);
  const abandoned = (await world.acts("ConfigFile", name)).filter(({ error }) => error?.includes("nothing was done"));
  // On a slow machine one that was thawed at once may have been too late as well.
  if (point === "before-apply" && abandoned.length === 0) throw new Error("the thawed worker began what it had a permit for");
  return { takeOverMs };
}
