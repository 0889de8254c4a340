// npm run simulate: the deterministic simulation of lib/simulation, on a prepared clone.
import { enterRoot } from "./environment.mjs";
import { inRoot } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { run } from "./run.mjs";

enterRoot();
await prepare({ build: false });
process.exit(await run(process.execPath, ["--import", "tsx", inRoot("lib", "simulation", "program.ts"), ...process.argv.slice(2)]));
