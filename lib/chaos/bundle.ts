import { rmSync } from "node:fs";
import path from "node:path";
import { build } from "vite";

let bundling: Promise<string> | undefined;

/**
 * The worker as one file of plain JavaScript, made once per process: a start then costs a third of what it does when every module is
 * compiled by itself, and rounds start many. It lies below node_modules, so that packages are found from there.
 */
export function workerFile(): Promise<string> {
  bundling ??= bundle();
  return bundling;
}

async function bundle(): Promise<string> {
  const root = process.cwd();
  const folder = path.join(root, "node_modules", ".cache", `setpoint-chaos-${process.pid}`);
  await build({
    root,
    configFile: false,
    logLevel: "error",
    resolve: { alias: { "@": root } },
    // Node wants the file's ending where a bundler does not.
    plugins: [
      {
        name: "ending",
        enforce: "pre",
        resolveId: (id) => (id === "next/headers" ? { id: "next/headers.js", external: true } : undefined),
      },
    ],
    build: { ssr: path.join(root, "lib/chaos/worker.ts"), outDir: folder, emptyOutDir: true, minify: false, copyPublicDir: false },
  });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "worker.js");
}
