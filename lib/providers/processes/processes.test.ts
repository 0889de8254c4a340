import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { createProcesses, type Processes, type StartRequest } from ".";
import { byHand, eventually, killHard, STAY, sweep, witnessed } from "./witness";

const signal = new AbortController().signal;
let folder: string;
let installation: string;
let uid: string;
let processes: Processes;

const provider = (allowExec = [process.execPath]) => createProcesses({ allowExec, installation, dataDir: folder, clock: systemClock });
const request = (script: string, change: Partial<StartRequest> = {}): StartRequest => ({
  uid,
  ordinal: 0,
  name: "web-0",
  template: "t1",
  command: [process.execPath, "-e", script],
  env: {},
  port: null,
  settle: false,
  ...change,
});
const stopRequest = (instance: { pid: number; startTicks: number; bootId: string }, graceSeconds = 5) => ({
  uid,
  ordinal: 0,
  name: "web-0",
  instance: { ...instance, leads: true },
  graceSeconds,
  forget: false,
});
const fileOf = (name: string) => path.join(folder, "instances", uid, "0", name);
const failure = async (attempt: Promise<unknown>): Promise<SetpointError> => {
  const thrown = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof SetpointError)) throw new Error(`no SetpointError: ${thrown}`);
  return thrown;
};

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "setpoint-processes-"));
  installation = `test-${randomUUID()}`;
  uid = randomUUID();
  processes = provider();
});

afterEach(async () => {
  await sweep(installation);
  rmSync(folder, { recursive: true, force: true });
});

describe("starting", () => {
  test("a started process is found again by a provider that never saw it, with the same start time", async () => {
    const started = await processes.start(request(STAY), signal);
    const [before] = (await processes.look(uid, signal)).instances;
    const [after] = (await provider().look(uid, signal)).instances;
    expect(after).toEqual(before);
    expect(after).toMatchObject({ pid: started.pid, ordinal: 0, template: "t1", leads: true });
  });

  test("starting a slot twice, also at the same moment, gives one process", async () => {
    const both = await Promise.all([processes.start(request(STAY), signal), processes.start(request(STAY), signal)]);
    const again = await provider().start(request(STAY), signal);
    expect(new Set([...both, again].map(({ pid }) => pid)).size).toBe(1);
    expect(witnessed(installation)).toHaveLength(1);
  });

  test("an instance gets nothing of Setpoint's own environment", async () => {
    process.env.SETPOINT_CANARY = "canary-7f3";
    try {
      await processes.start(
        request(`require("fs").writeFileSync("env", JSON.stringify(process.env)); ${STAY}`, { env: { A: "b" }, port: 4242 }),
        signal,
      );
    } finally {
      delete process.env.SETPOINT_CANARY;
    }
    const text = await eventually(
      "it wrote its environment",
      () => existsSync(fileOf("work/env")) && readFileSync(fileOf("work/env"), "utf8"),
    );
    const env = JSON.parse(text) as Record<string, string>;
    expect(Object.keys(env).sort()).toEqual(
      ["A", "LANG", "PATH", "PORT", "SETPOINT_INSTANCE", "SETPOINT_ORDINAL", "SETPOINT_TEMPLATE", "TZ"].sort(),
    );
    expect(env).toMatchObject({ A: "b", PORT: "4242", SETPOINT_INSTANCE: `${installation}/${uid}/0`, SETPOINT_ORDINAL: "0" });
  });

  test.each(["SETPOINT_INSTANCE", "LD_PRELOAD", "PATH", "NODE_OPTIONS", "BASH_ENV", "1X", "A=B"])("env %s is refused", async (name) => {
    const error = await failure(processes.start(request(STAY, { env: { [name]: "x" } }), signal));
    expect(error.reason).toBe("InvalidSpec");
    expect(witnessed(installation)).toHaveLength(0);
  });

  test("what ends at once in a slot that crashed before fails with its last words, and the same ones each time", async () => {
    const crash = request(`console.error("Error: no such thing\\n    at x"); process.exit(3)`, { settle: true });
    const errors = [await failure(processes.start(crash, signal)), await failure(processes.start(crash, signal))];
    expect(errors.map((error) => error.message)).toEqual(
      Array(2).fill("web-0 ends right after its start: it exited with code 3: Error: no such thing"),
    );
    expect(errors[0]?.reason).toBe("TargetError");
    const [exit] = (await provider().look(uid, signal)).exits;
    expect(exit).toMatchObject({ ordinal: 0, code: 3, signal: null, template: "t1", crashes: 2, output: "Error: no such thing" });
  });

  test("output of the last two processes is kept, and only the end of what is too long", async () => {
    const first = await processes.start(request(`console.log("first"); ${STAY}`), signal);
    await eventually("it wrote", () => readFileSync(fileOf("output.log"), "utf8").includes("first"));
    await processes.stop(stopRequest(first), signal);
    await processes.start(request(`process.stdout.write("x".repeat(3_000_000) + "\\nlast\\n"); ${STAY}`), signal);
    expect(readFileSync(fileOf("output.previous.log"), "utf8")).toBe("first\n");
    await eventually("it wrote all", () => readFileSync(fileOf("output.log"), "utf8").endsWith("last\n"));
    const [second] = (await processes.look(uid, signal)).instances;
    if (!second) throw new Error("nothing runs");
    await processes.stop(stopRequest(second), signal);
    await processes.start(request(STAY), signal);
    const kept = readFileSync(fileOf("output.previous.log"), "utf8");
    expect(kept.length).toBeLessThan(100_000);
    expect(kept.endsWith("last\n")).toBe(true);
  });

  test("processes outlive the process that started them, killed with SIGKILL", async () => {
    const script = path.join(folder, "parent.mts");
    const root = path.resolve(import.meta.dirname, "../../..");
    writeFileSync(
      script,
      `import { createProcesses } from ${JSON.stringify(path.join(root, "lib/providers/processes/index.ts"))};
       import { systemClock } from ${JSON.stringify(path.join(root, "lib/clock/index.ts"))};
       const own = createProcesses({ ...${JSON.stringify({ allowExec: [process.execPath], installation, dataDir: folder })}, clock: systemClock });
       await own.start(${JSON.stringify(request(STAY))}, new AbortController().signal);
       process.kill(process.pid, "SIGKILL");`,
    );
    const parent = spawn(process.execPath, ["--import", "tsx", script], { cwd: root, stdio: "inherit" });
    const [, killedBy] = await once(parent, "exit");
    expect(killedBy).toBe("SIGKILL");
    const [found] = (await processes.look(uid, signal)).instances;
    expect(found).toMatchObject({ ordinal: 0, leads: true, template: "t1" });
    await processes.start(request(STAY), signal);
    expect(witnessed(installation)).toHaveLength(1);
  });
});

describe("what may be executed", () => {
  const script = (name: string, mode: number, text = "#!/usr/bin/env node\nsetInterval(() => {}, 1000)\n") => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };

  test("a bare name stands for the one allowed executable of that name, extension or not", async () => {
    const file = script("svc.mjs", 0o755);
    processes = provider([file]);
    expect(processes.refusal(["svc"])).toBeUndefined();
    expect(processes.refusal(["svc.mjs"])).toBeUndefined();
    await processes.start(request("", { command: ["svc"] }), signal);
    expect(witnessed(installation)).toHaveLength(1);
  });

  test("everything else is refused, and the refusal names what is allowed", () => {
    const file = script("svc.mjs", 0o755);
    const twin = script("svc.sh", 0o755);
    for (const command of ["/bin/sh", "sh", "./svc", "../svc", "bin/svc", "", `${folder}/sub/../other.mjs`]) {
      const refusal = provider([file]).refusal([command]);
      expect(refusal?.reason).toBe("InvalidSpec");
      expect(refusal?.message).toContain(file);
    }
    expect(provider([file, twin]).refusal(["svc"])?.message).toContain("several");
    expect(provider([]).refusal(["svc"])?.message).toContain("SETPOINT_ALLOW_EXEC");
  });

  test("a symlink to an allowed executable is allowed; an allowed name does not make another file so", () => {
    const file = script("svc.mjs", 0o755);
    const link = path.join(folder, "link");
    symlinkSync(file, link);
    const evil = path.join(folder, "svc");
    symlinkSync("/bin/sh", evil);
    expect(provider([file]).refusal([link])).toBeUndefined();
    expect(provider([file]).refusal([evil])?.reason).toBe("InvalidSpec");
  });

  test("what is allowed and cannot be executed says why", async () => {
    expect(provider([path.join(folder, "gone")]).refusal(["gone"])?.message).toContain("no such file");
    const plain = script("plain.mjs", 0o644);
    expect(provider([plain]).refusal(["plain"])?.reason).toBe("AccessDenied");
    const broken = script("broken.mjs", 0o755, "#!/no/such/interpreter\n");
    processes = provider([broken]);
    const error = await failure(processes.start(request("", { command: ["broken"] }), signal));
    expect(error).toMatchObject({ reason: "InvalidSpec" });
    expect(error.message).toContain("interpreter");
  });

  test("another platform is Unsupported, in plain words", async () => {
    const elsewhere = createProcesses({ allowExec: [], installation, dataDir: folder, clock: systemClock }, "darwin");
    expect((await failure(elsewhere.look(uid, signal))).reason).toBe("Unsupported");
    expect((await failure(elsewhere.start(request(STAY), signal))).message).toContain("Linux only");
  });
});

describe("stopping", () => {
  test("SIGTERM comes first and the group goes with its leader, grandchildren included", async () => {
    const family = `process.once("SIGTERM", () => { require("fs").writeFileSync("term", ""); process.exit(0) });
      require("child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); ${STAY}"]); ${STAY}`;
    const started = await processes.start(request(family), signal);
    await eventually("both live", () => witnessed(installation).length === 2);
    expect((await processes.look(uid, signal)).instances).toHaveLength(1);
    await processes.stop(stopRequest(started, 1), signal);
    expect(existsSync(fileOf("work/term"))).toBe(true);
    expect(witnessed(installation)).toHaveLength(0);
  });

  test("one that ignores SIGTERM, or is stopped, ends after the grace", async () => {
    const started = await processes.start(request(`process.on("SIGTERM", () => {}); console.log("up"); ${STAY}`), signal);
    await eventually("it listens", () => readFileSync(fileOf("output.log"), "utf8").includes("up"));
    process.kill(started.pid, "SIGSTOP");
    await processes.stop(stopRequest(started, 0), signal);
    expect(witnessed(installation)).toHaveLength(0);
  });

  test("a pid that belongs to another process by now is not touched", async () => {
    const other = await byHand(STAY, {});
    const mine = await processes.start(request(STAY), signal);
    await processes.stop(stopRequest({ ...mine, pid: other.pid }), signal);
    await processes.stop(stopRequest({ ...mine, bootId: "another boot" }), signal);
    expect(other.exitCode).toBeNull();
    process.kill(other.pid, 0);
    expect(witnessed(installation)).toHaveLength(1);
    await killHard(other.pid);
  });

  test("stopping what is gone is success", async () => {
    const started = await processes.start(request(STAY), signal);
    await killHard(started.pid);
    await processes.stop(stopRequest(started), signal);
    await processes.stop({ ...stopRequest(started), forget: true }, signal);
    expect(existsSync(path.join(folder, "instances", uid))).toBe(false);
  });

  test("a stop that is cut off leaves the process to the next attempt", async () => {
    const started = await processes.start(request(`process.on("SIGTERM", () => {}); console.log("up"); ${STAY}`), signal);
    await eventually("it listens", () => readFileSync(fileOf("output.log"), "utf8").includes("up"));
    await expect(processes.stop(stopRequest(started, 60), AbortSignal.timeout(50))).rejects.toThrow();
    expect(witnessed(installation)).toHaveLength(1);
    await provider().stop(stopRequest(started, 0), signal);
    expect(witnessed(installation)).toHaveLength(0);
  });
});

describe("looking", () => {
  test("marks of another installation or object are not seen", async () => {
    const other = await byHand(STAY, { SETPOINT_INSTANCE: `${installation}-other/${uid}/0` });
    const neighbour = await byHand(STAY, { SETPOINT_INSTANCE: `${installation}/${randomUUID()}/0` });
    expect((await processes.look(uid, signal)).instances).toEqual([]);
    await killHard(other.pid);
    await killHard(neighbour.pid);
  });

  test("a child that outlived its killed parent is a leftover, not the slot's instance", async () => {
    const family = `require("child_process").spawn(process.execPath, ["-e", "${STAY}"]); ${STAY}`;
    const started = await processes.start(request(family), signal);
    await eventually("both live", () => witnessed(installation).length === 2);
    await killHard(started.pid);
    expect((await processes.look(uid, signal)).instances).toMatchObject([{ ordinal: 0, leads: false }]);
    const next = await processes.start(request(STAY), signal);
    expect(next.pid).not.toBe(started.pid);
  });

  test("a program that loses its mark is still found by pid and start time, and its children are not taken for leftovers", async () => {
    const started = await processes.start(request(STAY), signal);
    // As seen by an installation whose mark it does not carry: only the record is left.
    const blind = createProcesses({ allowExec: [], installation: "another", dataDir: folder, clock: systemClock });
    expect((await blind.look(uid, signal)).instances).toMatchObject([{ pid: started.pid, leads: true, template: "t1" }]);
  });

  test("looks at the same moment share a scan, and a look after a kill never sees the dead", async () => {
    const started = await processes.start(request(STAY), signal);
    const early = Array.from({ length: 50 }, () => processes.look(uid, signal));
    process.kill(started.pid, "SIGKILL");
    await eventually("it is dead", () => witnessed(installation).length === 0);
    expect((await processes.look(uid, signal)).instances).toEqual([]);
    await Promise.all(early);
  });
});

describe("waking", () => {
  test("the end of an own child and of an adopted process wakes their object", async () => {
    const woken: string[] = [];
    const started = await processes.start(request(STAY), signal);
    const adopter = provider();
    await adopter.look(uid, signal);
    const ends = [processes.subscribe((id) => woken.push(`own ${id}`)), adopter.subscribe((id) => woken.push(`adopted ${id}`))];
    await killHard(started.pid);
    await eventually("both noticed", () => woken.length === 2);
    expect(woken.sort()).toEqual([`adopted ${uid}`, `own ${uid}`]);
    for (const end of ends) end();
  });

  test("what we end ourselves wakes nobody", async () => {
    const woken: string[] = [];
    const end = processes.subscribe((id) => woken.push(id));
    const started = await processes.start(request(STAY), signal);
    await processes.stop(stopRequest(started), signal);
    await failure(processes.start(request("process.exit(1)", { settle: true }), signal));
    expect(woken).toEqual([]);
    end();
  });
});

describe("probing", () => {
  const identity = { pid: 1, startTicks: 1, bootId: "b" };
  const portOf = (server: net.Server) => {
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("no port");
    return address.port;
  };

  test("HTTP passes from 200 to 399 and says what else it got; a failure keeps the time it began", async () => {
    let status = 200;
    const server = http.createServer((_, response) => response.writeHead(status).end("x".repeat(100_000)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const ask = () => processes.probe({ instance: identity, port: portOf(server), httpPath: "/h", timeoutMs: 1000 }, signal);
    expect(await ask()).toBeNull();
    status = 302;
    expect(await ask()).toBeNull();
    status = 503;
    const first = await ask();
    expect(first?.fault).toBe(`HTTP 503 from port ${portOf(server)}/h`);
    expect(await ask()).toEqual(first);
    server.close();
    server.closeAllConnections();
  });

  test("TCP passes when a connection is accepted; silence, nonsense and a closed port each have their words", async () => {
    const server = net.createServer((socket) => socket.resume().on("error", () => socket.destroy()));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const port = portOf(server);
    expect(await processes.probe({ instance: identity, port, timeoutMs: 1000 }, signal)).toBeNull();
    const silent = await processes.probe({ instance: identity, port, httpPath: "/", timeoutMs: 100 }, signal);
    expect(silent?.fault).toBe(`no answer on port ${port} within 0.1 s`);
    server.on("connection", (socket) => socket.end("nonsense\r\n"));
    const nonsense = await processes.probe({ instance: identity, port, httpPath: "/", timeoutMs: 1000 }, signal);
    expect(nonsense?.fault).toContain("does not answer in HTTP");
    await new Promise((resolve) => server.close(resolve));
    const closed = await processes.probe({ instance: identity, port, timeoutMs: 1000 }, signal);
    expect(closed?.fault).toBe(`nothing listens on port ${port}`);
  });
});
