import type { Clock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import type { Identity, StopRequest } from "./contract";
import { groupMembers, lives } from "./proc";

const POLL_MS = 20;
/** Patience after SIGKILL: only a process stuck in the kernel needs longer. */
const KILL_PATIENCE_MS = 5_000;

/**
 * Ends one process and the group it leads: SIGTERM (and SIGCONT, so that a stopped one hears it), the grace, SIGKILL, and a look that it
 * is gone. Who is signalled is checked by pid and start time right before every signal: a reused pid is never hit.
 */
export async function endProcess(request: StopRequest, clock: Clock, signal: AbortSignal): Promise<void> {
  const target = new Target(request);
  if (!lives(request.instance)) return;
  target.send("SIGTERM");
  target.send("SIGCONT");
  if (await gone(target, request.graceSeconds * 1000, clock, signal)) return;
  target.send("SIGKILL");
  if (await gone(target, KILL_PATIENCE_MS, clock, signal)) return;
  throw new SetpointError(
    "TargetTimeout",
    `${target.words} is still there ${KILL_PATIENCE_MS / 1000} s after SIGKILL: it is stuck in the kernel`,
  );
}

async function gone(target: Target, withinMs: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const deadline = clock.monotonic() + withinMs;
  for (;;) {
    if (!target.lives()) return true;
    const left = deadline - clock.monotonic();
    if (left <= 0) return false;
    await clock.sleep(Math.min(POLL_MS, left), signal);
  }
}

class Target {
  readonly words: string;
  readonly #leader: Identity;
  readonly #group: boolean;
  /** Those seen in the group while its leader lived: while one of them lives, the group's number belongs to no other. */
  #members: Identity[] = [];

  constructor({ name, instance }: StopRequest) {
    this.words = `process ${name} (pid ${instance.pid})`;
    this.#leader = instance;
    this.#group = instance.leads;
  }

  /** The process, or anything that is left of its group. */
  lives(): boolean {
    if (lives(this.#leader)) return true;
    return this.#group && this.#groupIsOurs() && this.#refresh().length > 0;
  }

  send(name: "SIGTERM" | "SIGCONT" | "SIGKILL"): void {
    const leading = lives(this.#leader);
    if (this.#group && leading) this.#refresh();
    const { pid } = this.#leader;
    try {
      if (this.#group && (leading || this.#groupIsOurs())) process.kill(-pid, name);
      else if (leading) process.kill(pid, name);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ESRCH") return;
      if (code === "EPERM")
        throw new SetpointError("AccessDenied", `${this.words} belongs to another user: it cannot be ended`, { cause: error });
      throw new SetpointError("TargetError", `${this.words} could not be signalled`, { cause: error });
    }
  }

  #groupIsOurs(): boolean {
    return this.#members.some((member) => lives(member));
  }

  #refresh(): Identity[] {
    const { pid, bootId } = this.#leader;
    this.#members = groupMembers(pid).map((member) => ({ pid: member.pid, startTicks: member.startTicks, bootId }));
    return this.#members;
  }
}
