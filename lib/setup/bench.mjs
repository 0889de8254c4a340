// npm run bench: the measurements of lib/bench, on a prepared clone.
import { enterRoot } from "./environment.mjs";
import { inRoot } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { node } from "./run.mjs";

enterRoot();
await prepare();
process.exit(await node(inRoot("node_modules", "tsx", "dist", "cli.mjs"), ["lib/bench/index.ts", ...process.argv.slice(2)]));
