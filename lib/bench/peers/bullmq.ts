import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { Peer } from "./peer";

const QUEUE = "bench";

/** BullMQ on the Redis server at that port, a hundred jobs at a time. */
export function bullmq(port: number, durable: boolean): Peer {
  return {
    subject: durable ? "BullMQ, appendfsync always" : "BullMQ, nothing on disk",
    async start(handle) {
      // An ES module cannot have BullMQ load its client by itself.
      const connection = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null });
      const queue = new Queue<{ job: number }>(QUEUE, { connection });
      const worker = new Worker<{ job: number }>(QUEUE, async ({ data }) => handle(data.job), {
        connection,
        concurrency: 100,
        removeOnComplete: { count: 0 },
      });
      worker.on("error", () => undefined);
      await worker.waitUntilReady();
      return {
        async add(job) {
          await queue.add("job", { job });
        },
        async addMany(count) {
          await queue.addBulk(Array.from({ length: count }, (_, job) => ({ name: "job", data: { job } })));
        },
        open: async () => (await queue.getJobCountByTypes("waiting", "active", "prioritized", "delayed")) > 0,
        async stop() {
          await worker.close();
          await queue.close();
          connection.disconnect();
        },
      };
    },
  };
}
