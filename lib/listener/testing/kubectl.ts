/** The kubectls of this machine against a test server, and what they are given; for tests only. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { eventually } from "@/lib/conformance/store";
import { findKubectls, type Kubectl } from "@/lib/setup/kubectl.mjs";
import type { TestServer } from "./server";

const kubectls = findKubectls();
export const oldest = kubectls.find(({ version }) => version === "1.20");
export const newest = kubectls.at(-1);
/** Whole matrix; those in between get what differs between versions. */
export const whole = [oldest, newest].filter((each, index, all): each is Kubectl => each !== undefined && all.indexOf(each) === index);
export const between = kubectls.filter((each) => !whole.includes(each));
export const minorOf = ({ version }: Kubectl) => Number(version.split(".")[1] ?? 99);

/** Each with a name of its own, so that versions do not meet. */
export const nameFor = ({ version }: Kubectl, word: string) => `${word}-${version.replace(/\D/g, "")}`;

export const configFile = (name: string, content = "hello\n") =>
  JSON.stringify({
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "ConfigFile",
    metadata: { name, labels: { app: name } },
    spec: { path: `${name}.txt`, content },
  });

const sample = path.resolve("controllers/replicaset/sample/sample-service.mjs");
export const replicaSet = (name: string) =>
  JSON.stringify({
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "ReplicaSet",
    metadata: { name },
    spec: { replicas: 0, template: { command: [sample] } },
  });

export interface Ran {
  code: number;
  /** Both outputs in one. */
  out: string;
}

interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  kubeconfig?: string;
}

export interface Kubectls {
  run(kubectl: Kubectl, args: string[], options?: RunOptions): Promise<Ran>;
  /** A command that does not end by itself: what it has said so far, once it has said that. */
  listening(kubectl: Kubectl, args: string[]): { heard(wanted: RegExp): Promise<string>; stop(): void };
  close(): Promise<void>;
}

/** With a home of their own. */
export async function openKubectls(server: TestServer): Promise<Kubectls> {
  const home = await mkdtemp(path.join(os.tmpdir(), "setpoint-kubectl-"));
  const environment = (kubeconfig: string): NodeJS.ProcessEnv => ({
    NODE_ENV: "test",
    PATH: "/usr/bin:/bin",
    HOME: home,
    KUBECONFIG: kubeconfig,
  });
  return {
    run: ({ file }, args, { input = "", env = {}, kubeconfig = server.kubeconfig } = {}) =>
      new Promise((resolve) => {
        const child = execFile(file, args, { timeout: 50_000, env: { ...environment(kubeconfig), ...env } }, (error, stdout, stderr) => {
          const code = error ? (typeof error.code === "number" ? error.code : 99) : 0;
          resolve({ code, out: `${stdout}${stderr}` });
        });
        child.stdin?.end(input);
      }),
    listening({ file }, args) {
      let out = "";
      const child = execFile(file, args, { timeout: 100_000, env: environment(server.kubeconfig) });
      child.stdout?.on("data", (chunk) => {
        out += chunk;
      });
      return {
        heard: (wanted) => eventually(`${args.join(" ")} says ${wanted}`, () => (wanted.test(out) ? out : undefined), 60_000),
        stop: () => child.kill(),
      };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}
