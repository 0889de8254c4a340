import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What programs of the system are started with: nothing of our own environment. */
export const BARE_ENVIRONMENT: NodeJS.ProcessEnv = {
  NODE_ENV: "production",
  LC_ALL: "C",
  TZ: "UTC",
  PATH: "/usr/bin:/bin:/usr/sbin:/sbin",
};

/** A process that cannot be confused with a later one of the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the words of the system; compared, never parsed. */
  startedAt: string;
}

/** Who has this process number now; undefined when nobody has (a zombie is nobody). */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === "linux" ? await startOnLinux(pid) : await startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether exactly this process still runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identityOf(identity.pid))?.startedAt === identity.startedAt;
}

/** The command line of a process, as far as the system shows it; empty when it is gone. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === "linux") return (await readOrNothing(`/proc/${pid}/cmdline`)).replaceAll("\0", " ").trim();
  return ps("command=", pid);
}

async function startOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readOrNothing(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, so fields are counted from the last parenthesis: state is 0, start time 19.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || fields[0] === "Z" || fields[0] === "X") return undefined;
  boot ??= await readOrNothing("/proc/sys/kernel/random/boot_id");
  return `${boot.trim()}/${fields[19]}`;
}

/** Which start of the machine this is: the same for as long as this process lives. */
let boot: string | undefined;

async function startByPs(pid: number): Promise<string | undefined> {
  const text = await ps("lstart=", pid);
  return text === "" ? undefined : text;
}

async function ps(column: string, pid: number): Promise<string> {
  return run("ps", ["-ww", "-o", column, "-p", String(pid)], { env: BARE_ENVIRONMENT }).then(
    ({ stdout }) => stdout.trim(),
    // ps ends with 1 when there is no such process.
    () => "",
  );
}

function readOrNothing(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
