/** /version, and whether this process lives and can serve. */
import type { Call } from "./call";
import { json, text } from "./respond";
import type { Route } from "./route";

/** The version of the conventions that are followed, for clients that compare it with their own. */
const CONVENTIONS = { major: "1", minor: "33" };

async function version(call: Call): Promise<Response> {
  const gitVersion = `v${CONVENTIONS.major}.${CONVENTIONS.minor}.0+setpoint-${call.dependencies.version}`;
  const { version: node, platform, arch } = process;
  const facts = { gitVersion, gitCommit: "", gitTreeState: "", buildDate: "", goVersion: "", compiler: `node ${node}` };
  return json(call, { ...CONVENTIONS, ...facts, platform: `${platform}/${arch}` });
}

async function alive(call: Call): Promise<Response> {
  return text(call, "ok");
}

/** Ready when the store answers. */
async function ready(call: Call): Promise<Response> {
  await call.dependencies.resources.currentRevision();
  return text(call, "ok");
}

const PAGES: Record<string, (call: Call) => Promise<Response>> = { version, healthz: alive, livez: alive, readyz: ready };

/** The route of one of these; undefined for every other path. */
export function healthRoute(segments: readonly string[]): Route | undefined {
  const [page = "", ...more] = segments;
  const run = more.length === 0 && Object.hasOwn(PAGES, page) ? PAGES[page] : undefined;
  return run && { address: { resource: page }, methods: { GET: { verb: "public", run, shapes: page === "version" ? [] : "any" } } };
}
