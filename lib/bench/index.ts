/**
 * `npm run bench [-- --database-url URL] [--json FILE]`: measures the embedded store and, when one is named, a PostgreSQL server.
 * Prints a Markdown table. Figures are of this machine at this moment; nothing is asserted.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startEmbedded } from "@/lib/store/prisma/embedded";
import { type Measurement, measure } from "./works";

const { values: options } = parseArgs({ options: { "database-url": { type: "string" }, json: { type: "string" } } });

interface Result extends Measurement {
  subject: string;
}

const results: Result[] = [];
const dataDir = await mkdtemp(path.join(os.tmpdir(), "setpoint-bench-"));
const server = await startEmbedded({ dataDir, log: { info: () => undefined, warn: (message) => console.warn(message) } });
try {
  results.push(...(await measure(server.url)).map((measurement) => ({ subject: "embedded", ...measurement })));
} finally {
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}
const databaseUrl = options["database-url"];
if (databaseUrl) results.push(...(await measure(databaseUrl)).map((measurement) => ({ subject: "PostgreSQL server", ...measurement })));

const [cpu] = os.cpus();
const lines = [
  `${cpu?.model ?? "unknown processor"} x ${os.cpus().length}, Node ${process.version}, ${os.type()} ${os.release()}`,
  "",
  "| store | work | metric | value | unit | aim |",
  "|---|---|---|---:|---|---|",
  ...results.map(
    ({ subject, work, metric, value, unit, aim }) =>
      `| ${subject} | ${work} | ${metric} | ${value.toLocaleString("en-US", { maximumFractionDigits: 2 })} | ${unit} | ${aim ?? ""} |`,
  ),
  ...(databaseUrl ? [] : ["", "No PostgreSQL server was named (--database-url): only the embedded store was measured."]),
];
process.stdout.write(`${lines.join("\n")}\n`);
if (options.json)
  await writeFile(
    options.json,
    JSON.stringify(
      results.map(({ aim: _aim, ...result }) => result),
      null,
      2,
    ),
  );
process.exit(0);
