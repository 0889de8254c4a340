/** The same two works by peers: 10,000 trivial jobs until each is durably recorded as done, and one job on an idle queue. */
import { systemClock } from "@/lib/clock";
import { ROUNDS } from "../intent";
import { type Bench, type Measurement, quantile, type Work } from "../work";
import { bullmq } from "./bullmq";
import { graphileWorker } from "./graphile-worker";
import type { Peer, RunningPeer } from "./peer";
import { pgBoss } from "./pg-boss";
import { startRedis } from "./redis";

const JOBS = 10_000;
const LATENCY_SAMPLES = 100;

/** One that takes longer than this for a round is not asked for another. */
const SLOW_MS = 10_000;

/** Jobs a second, from the first insert to the last recorded end; the median of as many rounds as ours. */
async function throughput(peer: RunningPeer): Promise<number> {
  const rates: number[] = [];
  for (let round = 0, slow = false; round < ROUNDS && !slow; round++) {
    const begun = systemClock.monotonic();
    await peer.addMany(JOBS);
    while (await peer.open()) await systemClock.sleep(50);
    const tookMs = systemClock.monotonic() - begun;
    slow = tookMs > SLOW_MS;
    rates.push(JOBS / (tookMs / 1000));
  }
  return quantile(rates, 0.5);
}

async function latencies(peer: RunningPeer, handled: Map<number, () => void>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < LATENCY_SAMPLES; index++) {
    const job = JOBS + index;
    const begun = new Promise<number>((resolve) => handled.set(job, () => resolve(systemClock.monotonic())));
    await peer.add(job);
    const acknowledged = systemClock.monotonic();
    samples.push(Math.max(0, (await begun) - acknowledged));
  }
  return samples;
}

/** A peer that cannot be brought up is named with the reason; the others are measured all the same. */
async function measured(bench: Bench, peer: Peer): Promise<Measurement[]> {
  try {
    return await measurePeer(peer);
  } catch (error) {
    bench.missing(`${peer.subject} was not measured: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

async function measurePeer(peer: Peer): Promise<Measurement[]> {
  const handled = new Map<number, () => void>();
  const running = await peer.start((job) => handled.get(job)?.());
  try {
    const rate = await throughput(running);
    const samples = await latencies(running, handled);
    const { subject } = peer;
    return [
      { subject, metric: "stored to recorded as done", value: rate, unit: "items/s" },
      { subject, metric: "commit to start, p50", value: quantile(samples, 0.5), unit: "ms" },
      { subject, metric: "commit to start, p99", value: quantile(samples, 0.99), unit: "ms" },
    ];
  } finally {
    await running.stop();
  }
}

async function onRedis(bench: Bench, durable: boolean): Promise<Measurement[]> {
  const redis = await startRedis(durable);
  if (!redis) {
    bench.missing("BullMQ was not measured: there is no redis-server (apt-get install redis-server).");
    return [];
  }
  try {
    return await measured(bench, bullmq(redis.port, durable));
  } finally {
    await redis.stop();
  }
}

export const peers: Work = {
  name: "peers",
  title: "10,000 trivial items, and one on an idle queue",
  async measure(bench) {
    const onPostgres = [
      (url: string) => pgBoss(url, JOBS),
      (url: string) => pgBoss(url, 2_500),
      (url: string) => pgBoss(url, 100),
      (url: string) => graphileWorker(url, true),
      (url: string) => graphileWorker(url, false),
    ];
    const results: Measurement[] = [];
    for (const peer of onPostgres) results.push(...(await bench.withDatabase((url) => measured(bench, peer(url)))));
    for (const durable of [true, false]) results.push(...(await onRedis(bench, durable)));
    return results;
  },
};
