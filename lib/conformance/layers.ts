/** Who may import whom. Imports point down only, and anything that is not listed is forbidden. */
import type { Import } from "./sources";

/** A module of the architecture: `app`, `components/<area>`, `controllers/<kind>`, `lib/<name>`. */
export function moduleOf(file: string): string {
  const [first = "", second = ""] = file.split("/");
  if (first === "instrumentation.ts" || first === "proxy.ts" || first === "app") return "app";
  if (file === "controllers/registry.gen" || file === "controllers/registry.gen.ts") return "registry";
  return ["lib", "components", "controllers"].includes(first) ? `${first}/${second}` : first;
}

const BASE = ["lib/clock", "lib/errors", "lib/resource", "lib/ownership"];
const CONTRACTS = [...BASE, "lib/controller"];
const AREA_VIEWS = ["components/ui", "components/charts", "components/layout", "components/resource"];
const PORTS = ["lib/store", "lib/providers", "lib/observability", "lib/secrets"];

/** By module: what it may import. `types:` in front means types only. */
const ALLOWED: Record<string, string[]> = {
  "lib/clock": [],
  "lib/errors": ["lib/clock"],
  "lib/resource": ["lib/clock", "lib/errors"],
  "lib/ownership": ["lib/clock", "lib/errors", "lib/resource"],
  "lib/controller": BASE,
  "lib/policies": CONTRACTS,
  "lib/store": CONTRACTS,
  "lib/providers": CONTRACTS,
  "lib/observability": CONTRACTS,
  // Sealed values: the limits on them are admission's.
  "lib/secrets": [...CONTRACTS, "lib/policies"],
  "lib/engine": [...CONTRACTS, "lib/policies", "types:lib/store", "types:lib/observability"],
  "lib/api": [...CONTRACTS, "lib/policies", "types:lib/engine", ...PORTS, "types:lib/auth"],
  "lib/auth": [...CONTRACTS, "lib/policies", "types:lib/engine", ...PORTS],
  "lib/collector": [...CONTRACTS, "types:lib/store"],
  "lib/listener": [...BASE, "types:lib/api"],
  "lib/client": [...BASE, "types:lib/api"],
  // It speaks the public API: of the server it knows the words alone.
  "lib/cli": BASE,
  "components/ui": BASE,
  "components/charts": [...BASE, "components/ui"],
  "components/layout": [...BASE, "components/ui", "lib/client", "types:lib/api"],
  "components/resource": [...BASE, "components/ui", "components/charts", "components/layout", "lib/client", "types:lib/api"],
  app: [...BASE, "components/*", "lib/client", "lib/api", "lib/auth", "lib/runtime"],
  registry: ["controllers/*"],
  // The places where everything meets: the composition root, and tools and kits around the product.
  "lib/runtime": ["lib/*", "registry", "package.json"],
  "lib/conformance": ["lib/*", "controllers/*"],
  "lib/simulation": ["lib/*", "registry"],
  "lib/bench": ["lib/*", "registry"],
  // Real worker processes under real faults: scripts and tests only.
  "lib/chaos": ["lib/*", "controllers/*"],
  "lib/setup": [],
  prisma: ["prisma"],
};

const ANY_KIND = [...CONTRACTS, "lib/providers"];
const ANY_AREA = [...BASE, ...AREA_VIEWS, "lib/client", "types:lib/api"];

/** The rule that this import breaks, in words; undefined when it breaks none. */
export function brokenRule(from: string, { target, vendor, typeOnly }: Import): string | undefined {
  if (vendor) return brokenVendorRule(from, target);
  const source = moduleOf(from);
  const wanted = moduleOf(target);
  if (source === wanted) return undefined;
  if (wanted === "prisma" && from.startsWith("lib/store/prisma/")) return undefined;
  // The product's own adapters are for the composition root; others know the port.
  if (
    target.startsWith("lib/store/prisma") &&
    !["lib/runtime", "lib/conformance", "lib/simulation", "lib/bench", "lib/chaos"].includes(source)
  ) {
    return "only the composition root knows the adapter lib/store/prisma";
  }
  const kind = /^controllers\//.test(source);
  const allowed = ALLOWED[source] ?? (kind ? ANY_KIND : source.startsWith("components/") ? ANY_AREA : undefined);
  if (!allowed) return `${source} is no module of the architecture`;
  const matches = (name: string) => name === wanted || (name.endsWith("/*") && wanted.startsWith(name.slice(0, -1)));
  if (allowed.some(matches)) return undefined;
  if (allowed.includes(`types:${wanted}`)) return typeOnly ? undefined : `${source} may import only types of ${wanted}`;
  return `${source} may import only ${allowed.join(", ") || "nothing of the product"}`;
}

/** By package: the only places that may import it. */
const VENDORS: { name: RegExp; where: RegExp; rule: string }[] = [
  { name: /^recharts/, where: /^components\/charts\//, rule: "recharts only in components/charts" },
  { name: /^@prisma\//, where: /^(lib\/store\/prisma|prisma)\//, rule: "Prisma only in lib/store/prisma and prisma" },
  {
    name: /^pg$/,
    where: /^lib\/(store\/prisma|providers\/postgres|conformance|bench)\//,
    rule: "pg only in lib/store/prisma and lib/providers/postgres",
  },
  { name: /^(pg-boss|graphile-worker|bullmq)$/, where: /^lib\/bench\/peers\//, rule: "other job queues only as peers of the bench" },
  {
    name: /^(next|react|react-dom)(\/|$)/,
    where: /^(app|components|lib\/client|lib\/auth)\/|^(instrumentation|proxy)\.ts$|^controllers\/[^/]+\/panel\.tsx$/,
    rule: "Next and React only in app, components, lib/client, lib/auth and a kind's panel.tsx",
  },
  {
    name: /^next-auth(\/|$)/,
    where: /^(app|components|lib\/(auth|client))\//,
    rule: "next-auth only in app, components, lib/auth and lib/client",
  },
];

function brokenVendorRule(from: string, target: string): string | undefined {
  return VENDORS.find(({ name, where }) => name.test(target) && !where.test(from))?.rule;
}

/** A way from a module back to itself; undefined when there is none. */
export function findCycle(edges: Map<string, Set<string>>): string[] | undefined {
  const done = new Set<string>();
  const walk = (at: string, way: string[]): string[] | undefined => {
    if (way.includes(at)) return [...way.slice(way.indexOf(at)), at];
    if (done.has(at)) return undefined;
    for (const next of edges.get(at) ?? []) {
      const cycle = walk(next, [...way, at]);
      if (cycle) return cycle;
    }
    done.add(at);
    return undefined;
  };
  for (const start of edges.keys()) {
    const cycle = walk(start, []);
    if (cycle) return cycle;
  }
  return undefined;
}
