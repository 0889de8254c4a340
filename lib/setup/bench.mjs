// npm run bench: the measurements of lib/bench, on a prepared clone.
import { enterRoot } from "./environment.mjs";
import { inRoot } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { run } from "./run.mjs";

enterRoot();
await prepare({ build: false });
// Memory is compared after collections of garbage, which a program may ask for only with this flag; room for young objects as in npm start.
const flags = ["--import", "tsx", "--expose-gc", "--max-semi-space-size=32"];
process.exit(await run(process.execPath, [...flags, inRoot("lib", "bench", "index.ts"), ...process.argv.slice(2)]));
