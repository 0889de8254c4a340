/** Setpoint ended with -9 at bad moments: what it had acknowledged is there, what it had begun is finished, nothing is done twice. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "playwright/test";
import { Client } from "./client";
import { instancesOf, untilInstances, watchInstances } from "./instances";
import { type Server, startServer, until } from "./server";

const template = { command: ["sample-service"], stopGraceSeconds: 2 };

let server: Server;
let client: Client;
// Several starts of the whole product.
test.describe.configure({ timeout: 300_000 });
test.beforeEach(async () => {
  server = await startServer();
  client = new Client(server.url, server.token);
});
test.afterEach(() => server?.stop());

/** The next process on the same data. */
async function startAgain(): Promise<void> {
  server = await startServer({ dataDir: server.dataDir });
  client = new Client(server.url, server.token);
}

test("killed right after its first side effect, it converges after the restart without a duplicate", async () => {
  const { metadata } = await client.create("replicasets", "web", { replicas: 4, template });
  const firsts = new Promise<void>((resolve, reject) => {
    until(() => instancesOf(metadata.uid).length > 0, 20_000, "no instance was started").then(resolve, reject);
  });
  await firsts;
  await server.kill("SIGKILL");
  const before = instancesOf(metadata.uid);
  expect(before.length).toBeGreaterThan(0);

  const watch = watchInstances(metadata.uid);
  await startAgain();
  const after = await untilInstances(metadata.uid, 4);
  await client.converged("replicasets", "web");
  const { most, doubled } = watch.stop();
  expect(doubled).toEqual([]);
  expect(most).toBe(4);
  // Those it had started before it died are the same processes.
  for (const { pid, ordinal } of before) expect(after[ordinal]?.pid).toBe(pid);
});

test("instances outlive Setpoint, however it ends, and are found again", async () => {
  const { metadata } = await client.create("replicasets", "web", { replicas: 3, template });
  const running = await untilInstances(metadata.uid, 3);
  await client.converged("replicasets", "web");
  await server.kill("SIGTERM");
  expect(instancesOf(metadata.uid)).toEqual(running);
  await startAgain();
  await client.reconcile("replicasets", "web");
  await client.converged("replicasets", "web");
  expect(instancesOf(metadata.uid)).toEqual(running);
  // One that ends while nobody looks is replaced, the others stay.
  await server.kill("SIGKILL");
  expect(instancesOf(metadata.uid)).toEqual(running);
  process.kill(running[2]?.pid ?? 0, "SIGKILL");
  await startAgain();
  const healed = await untilInstances(metadata.uid, 3);
  expect(healed.slice(0, 2)).toEqual(running.slice(0, 2));
  expect(healed[2]?.pid).not.toBe(running[2]?.pid);
});

test("killed in the middle of a stream of writes, every acknowledged one is there, and its PostgreSQL is adopted", async () => {
  const acknowledged = new Map<string, string>();
  const postmaster = postmasterOf(server.dataDir);
  const writer = async (letter: string) => {
    for (let number = 0; ; number++) {
      const name = `${letter}-${number}`;
      try {
        const { metadata } = await client.create("configfiles", name, { path: `${name}.conf`, content: `${name}\n` });
        acknowledged.set(name, metadata.uid);
      } catch {
        // Setpoint is gone: what was not answered may or may not be there.
        return;
      }
    }
  };
  const writers = ["a", "b", "c"].map(writer);
  await until(() => acknowledged.size >= 30, 60_000, "there were not 30 writes");
  await server.kill("SIGKILL");
  await Promise.all(writers);

  await startAgain();
  expect(postmasterOf(server.dataDir)).toEqual(postmaster);
  const { items } = await client.list("configfiles");
  const there = new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
  expect([...acknowledged].filter(([name, uid]) => there.get(name) !== uid)).toEqual([]);
  // And each is brought about.
  for (const name of there.keys()) await client.converged("configfiles", name);
  for (const name of there.keys()) expect(readFileSync(path.join(server.dataDir, "files", `${name}.conf`), "utf8")).toBe(`${name}\n`);
});

/** Pid and start of the server whose data is somewhere in the folder, from PostgreSQL's own record. */
function postmasterOf(dataDir: string): string[] {
  const file = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).find((name) => path.basename(name) === "postmaster.pid");
  if (file === undefined) throw new Error(`no PostgreSQL runs in ${dataDir}`);
  const [pid = "", , startedAt = ""] = readFileSync(path.join(dataDir, file), "utf8").split("\n");
  return [pid, startedAt];
}
