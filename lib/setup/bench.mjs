// npm run bench: the measurements of lib/bench, on a prepared clone. Bundled first, as the server is in production: what runs TypeScript
// as it is for tests adds to every function that is made, and would be measured too.
import { enterRoot } from "./environment.mjs";
import { inRoot, ROOT } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { run } from "./run.mjs";

enterRoot();
await prepare({ build: false });
const { build } = await import("esbuild");
const folder = inRoot("node_modules", ".cache", "setpoint-bench");
await build({
  absWorkingDir: ROOT,
  entryPoints: ["lib/bench/index.ts", "lib/bench/worker.ts"],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  // Its files as Node resolves them: Next's package names none.
  alias: { "next/headers": "next/headers.js" },
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "error",
});
// Memory is compared after collections of garbage, which a program may ask for only with this flag; room for young objects as in npm start.
const flags = ["--expose-gc", "--max-semi-space-size=32"];
process.exit(await run(process.execPath, [...flags, `${folder}/index.mjs`, ...process.argv.slice(2)]));
