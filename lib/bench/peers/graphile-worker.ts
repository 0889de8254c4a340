import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import type { Peer } from "./peer";

const TASK = "bench";
const INSERT = 2_500;
const QUIET = new Logger(() => () => undefined);

/** Its own settings for throughput: a local queue, completions in batches. `tuned` false: one statement for each job. */
export function graphileWorker(databaseUrl: string, tuned: boolean): Peer {
  return {
    subject: tuned ? "graphile-worker, local queue of 500" : "graphile-worker, 16 at a time",
    async start(handle) {
      const pgPool = new pg.Pool({ connectionString: databaseUrl, max: 30 });
      pgPool.on("error", () => undefined);
      const preset = tuned
        ? { worker: { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } }
        : { worker: { concurrentJobs: 16 } };
      const utils = await makeWorkerUtils({ pgPool, logger: QUIET });
      await utils.migrate();
      const runner = await run({
        pgPool,
        logger: QUIET,
        noHandleSignals: true,
        parsedCronItems: [],
        preset,
        taskList: { [TASK]: (payload) => handle((payload as { job: number }).job) },
      });
      return {
        async add(job) {
          await utils.addJob(TASK, { job });
        },
        async addMany(count) {
          for (let first = 0; first < count; first += INSERT) {
            const size = Math.min(INSERT, count - first);
            await utils.addJobs(Array.from({ length: size }, (_, index) => ({ identifier: TASK, payload: { job: first + index } })));
          }
        },
        async open() {
          const { rows } = await pgPool.query("select exists (select from graphile_worker._private_jobs) as open");
          return rows[0].open;
        },
        async stop() {
          await runner.stop();
          await utils.release();
          await pgPool.end();
        },
      };
    },
  };
}
