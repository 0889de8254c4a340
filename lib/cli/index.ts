/** The command line. It speaks the public API and nothing else. See README.md. */
import { Client } from "./client";
import { apply } from "./commands/apply";
import { backup } from "./commands/backup";
import { pause, reconcile, resume } from "./commands/control";
import { diff } from "./commands/diff";
import { events } from "./commands/events";
import { get } from "./commands/get";
import { kubeconfig } from "./commands/kubeconfig";
import { plan } from "./commands/plan";
import { wait } from "./commands/wait";
import { connectionOf } from "./config";
import { FAILED, Failure } from "./failure";
import { given } from "./options";
import { Session } from "./session";
import type { Terminal } from "./terminal";
import { USAGE } from "./usage";

export type { Terminal } from "./terminal";

const COMMANDS: Record<string, (session: Session) => Promise<number>> = {
  get,
  apply,
  diff,
  plan,
  pause,
  resume,
  reconcile,
  wait,
  events,
  kubeconfig,
  backup,
};

/** Runs one call and gives its exit code: 0 done, 1 the answer is no (`diff`, `wait`), 2 it could not be found out. Never rejects for what was foreseen. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { command, words, options } = given(argv);
    if (options.help || command === undefined || command === "help") {
      terminal.out(USAGE);
      return command === undefined && !options.help ? FAILED : 0;
    }
    const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (!run) throw new Failure(`there is no command ${command}; there are ${Object.keys(COMMANDS).join(", ")}`);
    return await run(new Session(new Client(connectionOf(options, terminal)), options, words, terminal));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    terminal.err(`${error.message}\n`);
    return error.exitCode;
  }
}
