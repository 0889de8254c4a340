/** `npm run chaos [-- --only NAME,...]`: real processes under real faults, for minutes. Prints what was injected and counted. */
import { parseArgs } from "node:util";
import { systemClock } from "@/lib/clock";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import { crashEverywhere, crashTogether, uncovered } from "./crash";
import { CUTS, cutRound } from "./cut";
import { FREEZE_TTL_MS, freezeRound } from "./freeze";
import { OUTAGES, outageRound } from "./outage";
import { deadTarget, flood } from "./overload";
import { World } from "./world";

/** Leases of rounds in which nobody is to lose one. */
const CALM_TTL_MS = 5_000;
const FREEZES = 10;

type Say = (text: string) => void;

async function withWorker(server: TestPostgres, work: (world: World, proxy: RecordingProxy) => Promise<void>): Promise<void> {
  const world = await World.open(server);
  const proxy = await startProxy({ host: server.host, port: server.port });
  try {
    await world.createServer(proxy.port);
    const worker = world.spawn({ leaseTtlMs: CALM_TTL_MS });
    await worker.started();
    await world.settled();
    await work(world, proxy);
    const end = worker.ended();
    if (end) throw new Error(`the worker ended (${end.code ?? end.signal}):\n${worker.lastWords()}`);
  } finally {
    proxy.refuse(false);
    await world.close();
    await proxy.close();
  }
}

const ROUNDS: Record<string, (server: TestPostgres, say: Say) => Promise<void>> = {
  async crash(server, say) {
    for (const sweep of [crashTogether, crashEverywhere]) {
      const world = await World.open(server);
      try {
        const report = await sweep(world);
        const holes = uncovered(report);
        if (holes.length > 0) throw new Error(holes.join("\n"));
        say(`${report.kills} kills with -9, ${report.passed.length} crash points passed; nothing doubled, skipped or lost`);
      } finally {
        await world.close();
      }
    }
  },
  async freeze(server, say) {
    const took: number[] = [];
    for (let i = 0; i < FREEZES; i++) {
      const world = await World.open(server);
      try {
        const freezeAt = { point: i % 2 === 0 ? "before-apply" : "after-apply", object: `ConfigFile/frozen-${i}@2` } as const;
        const orders = { leaseTtlMs: FREEZE_TTL_MS, freezeAt };
        took.push(
          (
            await freezeRound(
              world,
              freezeAt,
              [1, 2, 3].map(() => world.spawn(orders)),
            )
          ).takeOverMs,
        );
      } finally {
        await world.close();
      }
    }
    took.sort((a, b) => a - b);
    const seconds = took.map((ms) => (ms / 1000).toFixed(1)).join(", ");
    say(
      `${FREEZES} times one of 3 workers was frozen past its lease of ${FREEZE_TTL_MS / 1000} s and thawed: no stale write; taken over after ${seconds} s`,
    );
    if ((took.at(-1) ?? 0) > FREEZE_TTL_MS + 1_000) throw new Error(`a take-over took longer than the lease and 1 s`);
  },
  outage: (server, say) =>
    withWorker(server, async (world) => {
      for (const outage of OUTAGES) {
        const { acknowledged, refused, workingAgainMs } = await outageRound(world, outage, 2_000);
        say(
          `${outage}: ${acknowledged} writes acknowledged, ${refused} not; none lost; working again after ${(workingAgainMs / 1000).toFixed(1)} s`,
        );
        if (workingAgainMs > 30_000) throw new Error("not working again within 30 s");
      }
    }),
  cut: (server, say) =>
    withWorker(server, async (world, proxy) => {
      for (const fault of CUTS) {
        const { creations, writes } = await cutRound(world, proxy, fault);
        say(`${fault}: created, changed and deleted right; ${creations} creations, ${writes} writes sent`);
      }
    }),
  flood: (server, say) =>
    withWorker(server, async (world) => {
      const { accepted, seconds, hopeless, mostAttempts, quickestRepeatMs, caughtUpMs } = await flood(world, {
        perSecond: 300,
        count: 18_000,
      });
      say(
        `${accepted} writes accepted in ${seconds.toFixed(0)} s (${(accepted / seconds).toFixed(0)}/s), ${hopeless} of them hopeless (at most ${mostAttempts} attempts); ` +
          `the rest was converged ${(caughtUpMs / 1000).toFixed(1)} s after the last`,
      );
      if (quickestRepeatMs !== undefined)
        say(`hopeless ones were tried again ${(quickestRepeatMs / 1000).toFixed(0)} s apart at least, after two quick attempts`);
    }),
  dead: (server, say) =>
    withWorker(server, async (world, proxy) => {
      const report = await deadTarget(world, proxy, { objects: 10_000, downMs: 120_000 });
      say(
        `${report.objects} objects on a dead target: ${report.triedWhileSpreading} connections until all said so, ` +
          `${report.triedWhileDown} in the ${report.downSeconds.toFixed(0)} s after; all converged ${(report.recoveredMs / 1000).toFixed(1)} s after its return`,
      );
      if (report.triedWhileDown > report.downSeconds) throw new Error("more than one connection a second to a dead target");
    }),
};

const { values } = parseArgs({ options: { only: { type: "string" } } });
const names = values.only?.split(",") ?? Object.keys(ROUNDS);
const unknown = names.filter((name) => !ROUNDS[name]);
const write = (text: string) => void process.stdout.write(`${text}\n`);
if (unknown.length > 0) {
  write(`There is no round ${unknown.join(", ")}; there are ${Object.keys(ROUNDS).join(", ")}.`);
  process.exit(2);
}
let broken = 0;
for (const name of names) {
  const begun = systemClock.monotonic();
  const server = await startPostgres({ synchronous_commit: "on" });
  try {
    await ROUNDS[name]?.(server, (text) => write(`${name}: ${text}`));
  } catch (error) {
    broken += 1;
    write(`${name}: BROKEN: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await server.stop();
  }
  write(`${name}: ${((systemClock.monotonic() - begun) / 1000).toFixed(0)} s`);
}
write(`${names.length} rounds, ${broken} broken`);
process.exit(broken > 0 ? 1 : 0);
