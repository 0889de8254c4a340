// npm run dev: Next's development server on a prepared clone.
import { enterRoot } from "./environment.mjs";
import { inRoot } from "./folders.mjs";
import { prepare } from "./prepare.mjs";
import { node } from "./run.mjs";

enterRoot();
await prepare({ build: false });
const args = ["dev", "--hostname", process.env.HOST || "127.0.0.1", "--port", process.env.PORT || "3000"];
process.exit(await node(inRoot("node_modules", "next", "dist", "bin", "next"), args));
