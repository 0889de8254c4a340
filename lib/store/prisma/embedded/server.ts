import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { choosePort, endOfLog, openLog, programOf, serverArguments, spawnOptions } from "./cluster";
import { identityOf, isAlive, type ProcessIdentity } from "./identity";
import type { Place } from "./place";
import { findOrphan, type RunningServer, readPostmaster } from "./postmaster";

export interface EmbeddedLog {
  info(message: string): void;
  warn(message: string): void;
}

/** How long a server may take until it answers; recovery after a crash is part of it. */
const READY_WITHIN_MS = 300_000;
const LONGEST_PAUSE_MS = 5_000;
/** How often a server is asked after: one that cannot tell us that it ended, and one that can. */
const ASK_MS = { adopted: 250, child: 5_000 };

/** Keeps one PostgreSQL server running on a data folder until it is closed. */
export class Supervisor {
  private closing = false;
  private running?: RunningServer;
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly place: Place,
    private readonly log: EmbeddedLog,
  ) {}

  /** Adopts a server that is left over, or starts one. Resolves with its port when it takes connections. */
  async start(password: string): Promise<number> {
    const orphan = await findOrphan(this.place, password);
    if (orphan) this.log.info(`Adopted the embedded PostgreSQL that was still running (pid ${orphan.identity.pid}, port ${orphan.port}).`);
    this.running = orphan ?? (await this.startOnAnyPort());
    process.once("exit", this.stopAtExit);
    this.watching = this.watch();
    return this.running.port;
  }

  /** Stops the server: fast shutdown (running transactions end), and by force if that takes longer than 6 seconds. */
  async close(): Promise<void> {
    this.closing = true;
    process.off("exit", this.stopAtExit);
    const identity = this.running?.identity;
    if (identity) {
      signal(identity, "SIGINT");
      if (!(await goneWithin(identity, 6_000))) {
        this.log.warn("The embedded PostgreSQL did not stop in time; it is stopped at once and recovers at its next start.");
        signal(identity, "SIGQUIT");
        await goneWithin(identity, 2_000);
      }
    }
    await this.watching;
  }

  /** An exit without close() must not leave a server behind. */
  private readonly stopAtExit = () => {
    if (this.running) signal(this.running.identity, "SIGINT");
  };

  private async startOnAnyPort(): Promise<RunningServer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.spawn(await choosePort(this.place));
      } catch (error) {
        // Between the choice of a port and its use somebody else may have taken it.
        if (attempt === 3) throw error;
      }
    }
  }

  private async spawn(port: number): Promise<RunningServer> {
    const log = await openLog(this.place);
    // In a process group of its own: Ctrl-C in a terminal reaches Setpoint alone, which then stops the server in order.
    const child = spawn(programOf(this.place, "postgres"), serverArguments(this.place, port), {
      ...spawnOptions(this.place),
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    child.unref();
    const failure = failureOf(child);
    const ended = once(child, "exit").catch(() => undefined);
    try {
      return { ...(await this.becomeReady(child, failure, port)), ended };
    } finally {
      await log.close();
    }
  }

  private async becomeReady(child: ChildProcess, failure: { error?: Error }, port: number): Promise<RunningServer> {
    const identity = child.pid === undefined ? undefined : await identityOf(child.pid);
    const deadline = systemClock.monotonic() + READY_WITHIN_MS;
    for (;;) {
      const postmaster = await readPostmaster(this.place);
      if (identity && postmaster?.pid === identity.pid && postmaster.ready) return { identity, port };
      if (failure.error || !identity || child.exitCode !== null || child.signalCode !== null) {
        throw new SetpointError("ServiceUnavailable", `The embedded PostgreSQL did not start:\n${await endOfLog(this.place)}`, {
          cause: failure.error,
        });
      }
      if (this.closing || systemClock.monotonic() > deadline) {
        signal(identity, "SIGQUIT");
        throw new SetpointError("ServiceUnavailable", "The embedded PostgreSQL did not become ready in time.");
      }
      await systemClock.sleep(20);
    }
  }

  /** Starts the server again, on the same port, whenever it is gone without having been told to. */
  private async watch(): Promise<void> {
    let failures = 0;
    while (!this.closing) {
      if (this.running && (await isAlive(this.running.identity))) {
        failures = 0;
        const { ended } = this.running;
        if (ended) await first(ended, ASK_MS.child);
        else await systemClock.sleep(ASK_MS.adopted);
        continue;
      }
      if (this.closing || !this.running) return;
      this.log.warn(`The embedded PostgreSQL (pid ${this.running.identity.pid}) ended unexpectedly; starting it again.`);
      try {
        this.running = await this.spawn(this.running.port);
        this.log.info(`The embedded PostgreSQL runs again (pid ${this.running.identity.pid}).`);
      } catch (error) {
        failures += 1;
        this.log.warn(error instanceof Error ? error.message : String(error));
        await systemClock.sleep(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(failures, 6)));
      }
    }
  }
}

/** Waits for `event`, at most so long; leaves no timer behind. */
async function first(event: Promise<unknown>, atMostMs: number): Promise<void> {
  const wait = new AbortController();
  await Promise.race([event, systemClock.sleep(atMostMs, wait.signal)]);
  wait.abort();
}

function failureOf(child: ChildProcess): { error?: Error } {
  const failure: { error?: Error } = {};
  child.on("error", (error) => {
    failure.error = error;
  });
  return failure;
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    // ESRCH: it is gone already, which is what was wanted.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

async function goneWithin(identity: ProcessIdentity, ms: number): Promise<boolean> {
  const deadline = systemClock.monotonic() + ms;
  while (await isAlive(identity)) {
    if (systemClock.monotonic() > deadline) return false;
    await systemClock.sleep(20);
  }
  return true;
}
