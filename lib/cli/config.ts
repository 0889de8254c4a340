/** Where the server is and who asks: options before the environment before the file. */
import { existsSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { Failure } from "./failure";
import type { Options } from "./options";
import type { Terminal } from "./terminal";

export interface Connection {
  server: URL;
  token?: string;
  /** PEM. */
  ca?: string;
  namespace: string;
}

const DEFAULT_SERVER = "http://127.0.0.1:3000";
const KEYS = ["server", "token", "ca", "namespace"];
/** Readable by others than its owner. */
const OPEN_TO_OTHERS = 0o077;

export function connectionOf(options: Options, { env, err }: Pick<Terminal, "env" | "err">): Connection {
  const file = readConfig(env, err);
  const text = options.server ?? (env.SETPOINT_SERVER || file.server || DEFAULT_SERVER);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Failure(`the server must be an http or https URL, not ${text}`);
  const token = options.token ?? (env.SETPOINT_TOKEN || file.token);
  const ca = options.ca ?? (env.SETPOINT_CA || file.ca);
  return {
    server: new URL(text),
    ...(token ? { token } : {}),
    ...(ca ? { ca: readText(ca, "the certificate authority") } : {}),
    namespace: options.namespace ?? (env.SETPOINT_NAMESPACE || file.namespace || "default"),
  };
}

/** `~/.config/setpoint`, or `config.yaml` in a folder of that name; SETPOINT_CONFIG names another. */
function configFile(env: Terminal["env"]): string | undefined {
  if (env.SETPOINT_CONFIG) return env.SETPOINT_CONFIG;
  const place = path.join(env.XDG_CONFIG_HOME || path.join(env.HOME || os.homedir(), ".config"), "setpoint");
  const candidates = [path.join(place, "config.yaml"), place];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
}

function readConfig(env: Terminal["env"], err: Terminal["err"]): Record<string, string> {
  const file = configFile(env);
  if (file === undefined) return {};
  const text = readText(file, "the configuration");
  let read: unknown;
  try {
    read = parse(text);
  } catch (error) {
    throw new Failure(`${file} is not YAML: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
  if (read === null) return {};
  if (typeof read !== "object" || Array.isArray(read)) throw new Failure(`${file} must hold the keys ${KEYS.join(", ")}`);
  const config: Record<string, string> = {};
  for (const [key, value] of Object.entries(read as object)) {
    if (!KEYS.includes(key)) throw new Failure(`${file}: ${key} is none of ${KEYS.join(", ")}`);
    if (typeof value !== "string") throw new Failure(`${file}: ${key} must be text`);
    config[key] = value;
  }
  if (config.token && (statSync(file).mode & OPEN_TO_OTHERS) !== 0)
    err(`Warning: ${file} holds a token and can be read by others: chmod 600 ${file}\n`);
  return config;
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Failure(`${what} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
