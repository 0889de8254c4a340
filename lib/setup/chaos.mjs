// npm run chaos: the long rounds of lib/chaos, on a prepared clone.
import { enterRoot } from "./environment.mjs";
import { inRoot } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { run } from "./run.mjs";

enterRoot();
await prepare();
process.exit(await run(process.execPath, ["--import", "tsx", inRoot("lib", "chaos", "index.ts"), ...process.argv.slice(2)]));
