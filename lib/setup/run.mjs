// Runs a program and waits for it. Asynchronous, so that a server in the same process goes on answering.
import { spawn } from "node:child_process";
import { ROOT } from "./folders.mjs";

const running = new Set();

/**
 * Resolves with the exit code. With `quiet` the output is kept back and only shown when the program fails.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, quiet?: boolean, timeoutMs?: number }} [options]
 * @returns {Promise<number>}
 */
export function run(program, args, { env = {}, quiet = false, timeoutMs } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
      timeout: timeoutMs,
    });
    running.add(child);
    let output = "";
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    child.on("error", reject);
    child.on("close", (code) => {
      running.delete(child);
      if (code !== 0 && quiet) process.stderr.write(output);
      resolve(code ?? 1);
    });
  });
}

/** Ends what `run` started: preparation was interrupted. */
export function stopRunning() {
  for (const child of running) child.kill("SIGTERM");
}

/** Runs a script of an installed package with this Node. */
export const node = (script, args, options) => run(process.execPath, [script, ...args], options);
