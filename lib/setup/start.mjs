// npm start: prepares the clone, then serves pages, API and controllers in this one process.
import { readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { withDoor } from "./door.mjs";
import { enterRoot } from "./environment.mjs";
import { ROOT, say } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { stopRunning } from "./run.mjs";

/** SIGTERM to exit takes at most 10 s: so long for the controllers, and the rest for connections. */
const DRAIN_MS = 8_000;
const EXIT_MS = 9_500;

enterRoot();
Object.assign(process.env, { NODE_ENV: "production", NEXT_MANUAL_SIG_HANDLE: "true" });

const began = performance.now();
const host = process.env.HOST || "127.0.0.1";
// Anything else than a number is left for the configuration check, which names every mistake at once.
const wantedPort = /^\d{1,5}$/.test(process.env.PORT ?? "") ? Number(process.env.PORT) : 3000;

let closing = false;
let handle = (_request, response) => {
  response.writeHead(503, { "content-type": "text/plain", "retry-after": "2", connection: "close" }).end("Setpoint is starting.\n");
};
// Longer than any URL that is answered: what is too long gets its 400 instead of a cut connection.
const server = http.createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
  if (closing) response.setHeader("connection", "close");
  handle(request, response);
});
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void shutDown(0));

try {
  // The port first: a start that cannot serve must not build, nor touch the data.
  const port = await listen();
  await prepare();
  if (!closing) await serve(port);
} catch (error) {
  if (!closing) {
    process.stderr.write(`${plain(error)}\n`);
    await shutDown(1);
  }
}

function listen() {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new Error(reasonNotListening(error))));
    server.listen(wantedPort, host, () => resolve(server.address().port));
  });
}

function reasonNotListening(error) {
  const at = `${host}:${wantedPort}`;
  if (error.code === "EADDRINUSE") return `${at} is in use${byWhom()}. Stop what uses it, or set PORT to another number.`;
  if (error.code === "EACCES") return `This user may not listen on ${at}. Set PORT to a number above 1023.`;
  return `Cannot listen on ${at}: ${error.message}. Check HOST and PORT.`;
}

/** Names the Setpoint process that holds our data folder, for the commonest cause of a busy port. */
function byWhom() {
  const folder = path.resolve(process.env.SETPOINT_DATA_DIR || ".setpoint");
  try {
    const newest = Math.max(
      ...readdirSync(path.join(folder, "lock"))
        .filter((name) => /^\d+$/.test(name))
        .map(Number),
    );
    const holder = JSON.parse(readFileSync(path.join(folder, "lock", String(newest)), "utf8"));
    process.kill(holder.pid, 0);
    return holder.released
      ? ""
      : `; the data folder ${folder} is in use by the Setpoint process with pid ${holder.pid}, started ${holder.since}`;
  } catch {
    // No lock, or its holder is gone: then somebody else has the port.
    return "";
  }
}

async function serve(port) {
  const { default: next } = await import("next");
  const app = next({ dev: false, dir: ROOT, hostname: host, port });
  const launched = new Promise((started, failed) => {
    globalThis[Symbol.for("setpoint.launch")] = { started, failed };
  });
  // Starts the runtime too: instrumentation.ts, which reports through lib/runtime/launch.ts how that went.
  await Promise.all([app.prepare(), launched]);
  handle = withDoor(app.getRequestHandler());
  const name = host.includes(":") ? `[${host}]` : host;
  say(`Setpoint serves http://${name}:${port} (started in ${((performance.now() - began) / 1000).toFixed(1)} s, pid ${process.pid})`);
}

/** Stops the controllers, then ends open connections, event streams among them. A second signal ends at once. */
async function shutDown(code) {
  if (closing) process.exit(1);
  closing = true;
  stopRunning();
  setTimeout(() => process.exit(code), EXIT_MS).unref();
  server.close();
  server.closeIdleConnections();
  const runtime = globalThis[Symbol.for("setpoint.runtime")];
  const drained = Promise.resolve(runtime?.close?.()).catch((error) => process.stderr.write(`Stopping: ${plain(error)}\n`));
  await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
  server.closeAllConnections();
  process.exit(code);
}

function plain(error) {
  if (!(error instanceof Error)) return String(error);
  // An error of ours explains itself to its reader; anything else is a defect, and its origin is needed.
  return error.name === "SetpointError" || error.constructor === Error ? error.message : (error.stack ?? error.message);
}
