/**
 * `npm run bench [-- --database-url URL] [--only NAME,...] [--json FILE]`: measures the embedded store and, when one is named, a
 * PostgreSQL server, in databases of its own that it makes and drops there. Prints a Markdown table. Figures are of this machine at
 * this moment; nothing is asserted.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { executeOn, newDatabaseName, urlOfDatabase } from "@/lib/conformance/databases";
import { startEmbedded } from "@/lib/store/prisma/embedded";
import { migrate } from "@/lib/store/prisma/migrate";
import { api } from "./api";
import { list, rest } from "./fleet";
import { change, create, firstLook } from "./intent";
import { peers } from "./peers";
import { ratios } from "./ratios";
import type { Bench, Result, Work } from "./work";
import { failover, scale } from "./workers";

const WORKS: Work[] = [firstLook, create, change, peers, list, rest, api, scale, failover];

const { values: options } = parseArgs({
  options: { "database-url": { type: "string" }, only: { type: "string" }, json: { type: "string" } },
});
const works = chosen(options.only);

const results: Result[] = [];
const missing = new Set<string>();
const dataDir = await mkdtemp(path.join(os.tmpdir(), "setpoint-bench-"));
const embedded = await startEmbedded({ dataDir, log: { info: () => undefined, warn: (message) => console.warn(message) } });
try {
  await measureAll("embedded", embedded.url);
} finally {
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}
const databaseUrl = options["database-url"];
if (databaseUrl) await measureAll("PostgreSQL server", databaseUrl);
else missing.add("No PostgreSQL server was named (--database-url): only the embedded store was measured.");

report();
if (options.json) await writeFile(options.json, JSON.stringify(results.map(toJson), null, 2));
process.exit(0);

function chosen(only: string | undefined): Work[] {
  const names = only?.split(",") ?? WORKS.map(({ name }) => name);
  const unknown = names.filter((name) => !WORKS.some((work) => work.name === name));
  if (unknown.length > 0) {
    console.error(`--only: there is no work called ${unknown.join(", ")}; there are ${WORKS.map(({ name }) => name).join(", ")}.`);
    process.exit(1);
  }
  return WORKS.filter(({ name }) => names.includes(name));
}

async function measureAll(store: string, server: string): Promise<void> {
  const bench: Bench = {
    missing: (reason) => missing.add(reason),
    async withDatabase(use) {
      const name = newDatabaseName("setpoint_bench");
      const url = urlOfDatabase(server, name);
      await executeOn(server, `create database ${name}`);
      try {
        await migrate(url);
        return await use(url);
      } finally {
        await executeOn(server, `drop database ${name} with (force)`);
      }
    },
  };
  for (const work of works) {
    console.error(`${store}: ${work.name} …`);
    results.push(...(await work.measure(bench)).map((measurement) => ({ store, work: work.title, ...measurement })));
  }
}

function toJson({ store, work, subject, metric, value, unit }: Result) {
  return { work: `${work} (${store})`, subject: subject ?? "Setpoint", metric, value, unit };
}

function versionOf(name: string): string {
  return `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`;
}

function report(): void {
  const [cpu] = os.cpus();
  const lines = [
    `${cpu?.model ?? "unknown processor"} x ${os.cpus().length}, Node ${process.version}, ${os.type()} ${os.release()}`,
    ["pg-boss", "graphile-worker", "bullmq"].map(versionOf).join(", "),
    `npm run bench -- ${process.argv.slice(2).join(" ")}`.trim(),
    "",
    "| store | work | subject | metric | value | unit | aim |",
    "|---|---|---|---|---:|---|---|",
    ...results.map(
      ({ store, work, subject, metric, value, unit, aim }) =>
        `| ${store} | ${work} | ${subject ?? "Setpoint"} | ${metric} | ${shown(value)} | ${unit} | ${aim ?? ""} |`,
    ),
    ...ratios(results),
    ...(missing.size > 0 ? ["", ...missing] : []),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function shown(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
