import PgBoss from "pg-boss";
import type { Peer } from "./peer";

const QUEUE = "bench";
const INSERT = 2_500;

/** pg-boss with that many jobs to one call of the handler; 1 is its default. It fetches no sooner than its interval, so that the largest batch is the fastest. */
export function pgBoss(databaseUrl: string, batch: number): Peer {
  return {
    subject: `pg-boss, batches of ${batch}`,
    async start(handle) {
      const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
      boss.on("error", () => undefined);
      await boss.start();
      await boss.createQueue(QUEUE);
      // Half a second is the shortest interval that it accepts.
      await boss.work<{ job: number }>(QUEUE, { batchSize: batch, pollingIntervalSeconds: 0.5 }, async (jobs) => {
        for (const { data } of jobs) handle(data.job);
      });
      return {
        async add(job) {
          await boss.send(QUEUE, { job });
        },
        async addMany(count) {
          for (let first = 0; first < count; first += INSERT) {
            const size = Math.min(INSERT, count - first);
            await boss.insert(Array.from({ length: size }, (_, index) => ({ name: QUEUE, data: { job: first + index } })));
          }
        },
        async open() {
          const db = boss.getDb();
          const { rows } = await db.executeSql("select exists (select from pgboss.job where state <> 'completed') as open", []);
          return rows[0].open;
        },
        stop: () => boss.stop({ graceful: false, wait: true }),
      };
    },
  };
}
