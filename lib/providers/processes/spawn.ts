import { type ChildProcess, spawn } from "node:child_process";
import { SetpointError } from "@/lib/errors";
import type { Executable } from "./allow";
import type { Identity } from "./contract";
import { bootId, readStatOfAny } from "./proc";

interface SpawnRequest {
  name: string;
  executable: Executable;
  args: string[];
  env: Record<string, string>;
  work: string;
  /** Descriptor that receives stdout and stderr. */
  output: number;
}

/** Executes it without a shell in a process group and session of its own. Resolves once the kernel has executed it. */
export async function spawnDetached(request: SpawnRequest): Promise<{ child: ChildProcess; identity: Identity }> {
  const { executable, args, env, work, output } = request;
  const child = spawn(executable.file, args, {
    argv0: executable.name,
    cwd: work,
    // Next's types make NODE_ENV a required part of every environment; an instance has exactly what it is given.
    env: env as NodeJS.ProcessEnv,
    detached: true,
    shell: false,
    stdio: ["ignore", output, output],
  });
  // It must not keep Setpoint from ending; its exit is still heard while Setpoint runs.
  child.unref();
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(spawnFault(error, request)));
  });
  // A child is reaped in a later turn of the event loop: even one that has ended already is still there to be read.
  const stat = child.pid === undefined ? undefined : readStatOfAny(child.pid);
  if (!stat) throw new SetpointError("TargetError", `${request.name}: ${executable.file} ended before it could be identified`);
  return { child, identity: { pid: stat.pid, startTicks: stat.startTicks, bootId: bootId() } };
}

function spawnFault(error: Error, { name, executable }: SpawnRequest): SetpointError {
  const code = "code" in error ? String(error.code) : "";
  const { file } = executable;
  const cause = { cause: error };
  switch (code) {
    case "ENOENT":
      return new SetpointError("InvalidSpec", `${name}: ${file} or the interpreter in its first line does not exist`, cause);
    case "EACCES":
    case "EPERM":
      return new SetpointError("AccessDenied", `${name}: ${file} may not be executed by this user`, cause);
    case "ENOEXEC":
      return new SetpointError("InvalidSpec", `${name}: ${file} is not an executable of this machine`, cause);
    case "E2BIG":
      return new SetpointError("InvalidSpec", `${name}: command and env are larger than this machine accepts`, cause);
    default:
      return new SetpointError("TargetError", `${name}: ${file} could not be started (${code || error.message})`, cause);
  }
}
