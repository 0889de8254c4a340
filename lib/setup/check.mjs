// npm run check: format, lint and types.
import { inRoot } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { node } from "./run.mjs";

await prepare({ build: false });
const lint = await node(inRoot("node_modules", "@biomejs", "biome", "bin", "biome"), ["check", "."]);
const types = await node(inRoot("node_modules", "typescript", "bin", "tsc"), ["--noEmit", "-p", "."]);
process.exit(lint || types);
