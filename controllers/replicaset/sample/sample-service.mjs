#!/usr/bin/env node
// The service that ships with Setpoint, to try instances with. Needs nothing but Node.
// Environment: PORT (serve HTTP on 127.0.0.1; without it, only stay alive), VERSION (shown), FAIL=1 (exit at once), SICK=1 (/healthz answers 503).
import http from "node:http";

const { PORT, VERSION = "1", FAIL, SICK, SETPOINT_ORDINAL = "0" } = process.env;

if (FAIL === "1") {
  process.stderr.write("error: FAIL=1 is set, so this service ends at once\n");
  process.exit(1);
}

const facts = { service: "sample-service", ordinal: Number(SETPOINT_ORDINAL), pid: process.pid, version: VERSION };

function answer(request, response) {
  const healthz = request.url?.split("?")[0] === "/healthz";
  const status = healthz && SICK === "1" ? 503 : 200;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(healthz ? { status: status === 200 ? "ok" : "sick" } : facts)}\n`);
}

const alive = setInterval(() => {}, 60_000);
let server;
if (PORT) {
  server = http.createServer(answer);
  server.on("error", (error) => {
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(1);
  });
  server.listen(Number(PORT), "127.0.0.1", () => process.stdout.write(`serving on port ${PORT}\n`));
}

for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, () => {
    process.stdout.write(`${signal}: ending\n`);
    clearInterval(alive);
    server?.close();
    server?.closeIdleConnections();
  });
}
process.stdout.write(`started ${JSON.stringify(facts)}\n`);
