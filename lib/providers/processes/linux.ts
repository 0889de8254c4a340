import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import type { Clock } from "@/lib/clock";
import { asSetpointError, SetpointError } from "@/lib/errors";
import { resolveExecutable } from "./allow";
import type { Exit, Identity, Instance, ProbeRequest, ProbeResult, Processes, Sighting, StartRequest, StopRequest } from "./contract";
import { environmentFault, instanceEnvironment } from "./environment";
import { exitWords } from "./exit-words";
import { Prober } from "./probe";
import { bootSeconds, identityText, lives, readStat, TICKS_PER_SECOND } from "./proc";
import { Records, type StartRecord } from "./records";
import { type Marked, Scanner } from "./scan";
import { spawnDetached } from "./spawn";
import { endProcess } from "./stop";
import { Watch } from "./watch";

/** Ended sooner than this after its start, and not by our hand: a crash. */
const CRASH_WITHIN_MS = 10_000;
/** How long a slot that crashed before is watched after its next start. */
const SETTLE_MS = 2_000;
/** How long the exit event of a child that is known to be gone may take. */
const EXIT_EVENT_MS = 1_000;
const BOUND_OUTPUT_EVERY_MS = 30_000;

export interface ProcessesOptions {
  /** Absolute paths of the only executables that instances may run. */
  allowExec: string[];
  /** This installation's id, part of every mark. */
  installation: string;
  dataDir: string;
  clock: Clock;
}

/** A child of this process that is still followed. */
interface Followed {
  exit?: Exit;
  /** Its end is our doing. */
  stopping: boolean;
  /** Its end is reported by the start that still watches it. */
  settling: boolean;
  ended: Promise<void>;
}

/** Processes of a Linux machine, found by what /proc says about them. */
export class LinuxProcesses implements Processes {
  readonly #options: ProcessesOptions;
  readonly #clock: Clock;
  readonly #records: Records;
  readonly #scanner: Scanner;
  readonly #prober: Prober;
  readonly #watch: Watch;
  readonly #children = new Map<string, Followed>();
  readonly #starting = new Map<string, Promise<Identity>>();
  readonly #startTimes = new Map<string, number>();

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#records = new Records(options.dataDir);
    this.#scanner = new Scanner(options.installation, options.clock);
    this.#prober = new Prober(options.clock);
    this.#watch = new Watch(options.clock, (gone) => this.#forgetProcess(gone));
  }

  async look(uid: string, signal: AbortSignal): Promise<Sighting> {
    const found = (await this.#scanner.scan()).filter((process) => process.mark.uid === uid);
    signal.throwIfAborted();
    const byPid = new Map(found.map((process) => [process.pid, process]));
    const slots = this.#slots(uid, byPid);
    const recorded = [...slots].flatMap(([ordinal, { start }]) => unmarkedInstance(ordinal, start, byPid));
    // Programs that rewrite their title lose the mark that their children still carry: those are not leftovers.
    const leaders = new Set(recorded.map((instance) => instance.pid));
    const marked = found.filter((process) => !leaders.has(process.group) && !leaders.has(process.ppid));
    const instances = [...marked.map((process) => this.#asInstance(process, slots.get(process.mark.ordinal)?.start)), ...recorded];
    for (const { pid, startTicks, bootId, ordinal } of instances) this.#watchOver({ pid, startTicks, bootId }, uid, ordinal);
    return {
      instances: instances.sort((a, b) => a.ordinal - b.ordinal || a.startTicks - b.startTicks || a.pid - b.pid),
      exits: [...slots.values()].flatMap(({ exit }) => (exit ? [{ ...exit }] : [])).sort((a, b) => a.ordinal - b.ordinal),
      folders: [...slots.keys()].sort((a, b) => a - b),
    };
  }

  /** What is recorded of each slot; read again where it does not fit what runs. */
  #slots(uid: string, found: ReadonlyMap<number, Marked>): ReturnType<Records["slots"]> {
    const slots = this.#records.slots(uid);
    for (const [ordinal, { start }] of slots) {
      if (!start || found.get(start.pid)?.startTicks !== start.startTicks) this.#records.refresh(uid, ordinal);
    }
    return slots;
  }

  refusal(command: readonly string[]): SetpointError | undefined {
    try {
      resolveExecutable(this.#options.allowExec, command);
      return undefined;
    } catch (error) {
      return asSetpointError(error, "TargetError");
    }
  }

  async start(request: StartRequest, signal: AbortSignal): Promise<Identity> {
    const slot = `${request.uid}/${request.ordinal}`;
    const before = this.#starting.get(slot);
    const starting = (async () => {
      await before?.catch(() => undefined);
      return this.#startOnce(request, signal);
    })();
    this.#starting.set(slot, starting);
    try {
      return await starting;
    } finally {
      if (this.#starting.get(slot) === starting) this.#starting.delete(slot);
    }
  }

  async stop(request: StopRequest, signal: AbortSignal): Promise<void> {
    const { instance, uid, ordinal } = request;
    const child = this.#children.get(identityText(instance));
    if (child) child.stopping = true;
    this.#watch.drop(instance);
    await endProcess(request, this.#clock, signal);
    // Until its exit event came, this end could still be taken for a crash of what is started next.
    if (child) await within(child.ended, EXIT_EVENT_MS, this.#clock, signal);
    this.#forgetProcess(instance);
    if (request.forget) await this.clear(uid, ordinal);
    else this.#records.endedOnPurpose(uid, ordinal);
  }

  async clear(uid: string, ordinal: number): Promise<void> {
    try {
      this.#records.forget(uid, ordinal);
    } catch (error) {
      throw asSetpointError(error, "TargetError");
    }
  }

  probe(request: ProbeRequest, signal: AbortSignal): Promise<ProbeResult> {
    return this.#prober.probe(request, signal);
  }

  subscribe(wake: (uid: string) => void): () => void {
    const unsubscribe = this.#watch.subscribe(wake);
    let cancel = () => {};
    const bound = () => {
      for (const { uid, ordinal } of this.#watch.known()) this.#records.boundOutput(uid, ordinal);
      cancel = this.#clock.after(BOUND_OUTPUT_EVERY_MS, bound);
    };
    cancel = this.#clock.after(BOUND_OUTPUT_EVERY_MS, bound);
    return () => {
      cancel();
      unsubscribe();
    };
  }

  async #startOnce(request: StartRequest, signal: AbortSignal): Promise<Identity> {
    const { uid, ordinal, name, template, command, env, port } = request;
    const fault = Object.keys(env)
      .map(environmentFault)
      .find((found) => found !== undefined);
    if (fault !== undefined) throw new SetpointError("InvalidSpec", `template.env: ${fault}`);
    const executable = resolveExecutable(this.#options.allowExec, command);
    const { instances } = await this.look(uid, signal);
    const living = instances.find((instance) => instance.ordinal === ordinal && instance.leads);
    if (living) return living;

    const { work, output } = this.#prepare(uid, ordinal, name);
    const startedAt = this.#clock.now();
    const { installation } = this.#options;
    const environment = instanceEnvironment({ installation, uid, ordinal, template, port, env });
    const spawning = spawnDetached({ name, executable, args: command.slice(1), env: environment, work, output });
    const { child, identity } = await spawning.finally(() => closeSync(output));
    const followed = this.#follow(child, request, identity, startedAt);
    this.#records.started(uid, ordinal, { ...identity, startedAt, template, port, command, env });
    this.#watchOver(identity, uid, ordinal);
    if (request.settle) await this.#settle(followed, name, signal);
    return identity;
  }

  #prepare(uid: string, ordinal: number, name: string): { work: string; output: number } {
    try {
      return this.#records.prepare(uid, ordinal);
    } catch (error) {
      const why = asSetpointError(error).message;
      throw new SetpointError("TargetError", `${name}: its folder in the data folder cannot be written (${why})`, { cause: error });
    }
  }

  /** Waits whether it ends at once. Its end is then this start's failure and wakes nobody, so that the backoff is really waited. */
  async #settle(followed: Followed, name: string, signal: AbortSignal): Promise<void> {
    followed.settling = true;
    await within(followed.ended, SETTLE_MS, this.#clock, signal).finally(() => {
      followed.settling = false;
    });
    if (followed.exit) throw new SetpointError("TargetError", `${name} ends right after its start: it ${exitWords(followed.exit)}`);
  }

  #follow(child: ChildProcess, { uid, ordinal, template }: StartRequest, identity: Identity, startedAt: number): Followed {
    let reportEnd = () => {};
    const ended = new Promise<void>((resolve) => {
      reportEnd = resolve;
    });
    const followed: Followed = { stopping: false, settling: false, ended };
    this.#children.set(identityText(identity), followed);
    child.once("exit", (code, signal) => {
      const at = this.#clock.now();
      const before = this.#records.slots(uid).get(ordinal)?.exit;
      const crashed = at - startedAt < CRASH_WITHIN_MS;
      const crashes = crashed ? (before?.template === template ? before.crashes : 0) + 1 : 0;
      this.#children.delete(identityText(identity));
      this.#forgetProcess(identity);
      if (!followed.stopping) {
        followed.exit = { ordinal, template, code, signal, at, crashes, output: this.#records.lastWords(uid, ordinal) };
        this.#records.ended(uid, identity, followed.exit);
        if (!followed.settling) this.#watch.wake(uid);
      }
      reportEnd();
    });
    return followed;
  }

  #watchOver(identity: Identity, uid: string, ordinal: number): void {
    const { pid, startTicks, bootId } = identity;
    this.#watch.add({ pid, startTicks, bootId, uid, ordinal, own: this.#children.has(identityText(identity)) });
  }

  #forgetProcess(identity: Identity): void {
    this.#watch.drop(identity);
    this.#prober.forget(identity);
    this.#startTimes.delete(identityText(identity));
  }

  #asInstance(process: Marked, start: StartRecord | undefined): Instance {
    const { pid, startTicks, bootId, template, port, mark } = process;
    const identity = { pid, startTicks, bootId };
    const recorded = start && identityText(start) === identityText(identity) ? start : undefined;
    return {
      ...identity,
      ordinal: mark.ordinal,
      template,
      startedAt: recorded?.startedAt ?? this.#startTime(identity),
      port,
      leads: process.group === pid,
      launch: recorded ? { command: [...recorded.command], env: { ...recorded.env } } : null,
    };
  }

  /** For what was not recorded. Remembered, because the wall clock may be set: the same process must keep its start time. */
  #startTime(identity: Identity): number {
    const key = identityText(identity);
    const known = this.#startTimes.get(key);
    if (known !== undefined) return known;
    const startedAt = Math.round((bootSeconds() + identity.startTicks / TICKS_PER_SECOND) * 1000);
    this.#startTimes.set(key, startedAt);
    return startedAt;
  }
}

/** What was started here and lives, but shows its mark no more, or not at this moment: while it is being executed, its environment is empty. */
function unmarkedInstance(ordinal: number, start: StartRecord | undefined, found: ReadonlyMap<number, Marked>): Instance[] {
  if (!start || found.has(start.pid) || !lives(start)) return [];
  const { pid, startTicks, bootId, template, startedAt, port, command, env } = start;
  const leads = readStat(pid)?.group === pid;
  return [{ pid, startTicks, bootId, ordinal, template, startedAt, port, leads, launch: { command: [...command], env: { ...env } } }];
}

/** Waits for `promise`, but no longer than `limitMs`. */
async function within(promise: Promise<void>, limitMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race([promise, clock.sleep(limitMs, AbortSignal.any([signal, done.signal]))]);
  } finally {
    done.abort();
  }
}
