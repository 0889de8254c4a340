import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { brokenRule, findCycle, moduleOf } from "./layers";
import { FOLDERS, filesBelow, ROOT, readSources, type Source } from "./sources";

const sources = readSources();
const product = sources.filter((source) => !source.test);
const imports = product.flatMap((source) => source.imports.map((each) => ({ from: source.file, ...each })));

/** Lines of code outside `where` that match, as `file:line: text`. */
function uses(pattern: RegExp, where: RegExp): string[] {
  return product
    .filter(({ file }) => !where.test(file))
    .flatMap(({ file, code }) => code.split("\n").flatMap((line) => (pattern.test(line) ? [`${file}: ${line.trim()}`] : [])));
}

describe("imports point down only", () => {
  test("the checker sees the product", () => {
    console.warn(`architecture: ${sources.length} files (${product.length} without tests), ${imports.length} imports`);
    expect(product.length).toBeGreaterThan(50);
    expect(imports.filter((each) => !each.vendor).length).toBeGreaterThan(100);
  });

  test("the checker finds what is forbidden", () => {
    const rule = (from: string, target: string, typeOnly = false, vendor = false) => brokenRule(from, { target, typeOnly, vendor });
    expect(rule("lib/engine/pass.ts", "lib/store")).toBe("lib/engine may import only types of lib/store");
    expect(rule("lib/engine/pass.ts", "lib/store", true)).toBeUndefined();
    expect(rule("controllers/secret/index.ts", "controllers/replicaset")).toContain("controllers/secret may import only");
    expect(rule("controllers/secret/index.ts", "lib/engine", true)).toContain("controllers/secret may import only");
    expect(rule("lib/clock/index.ts", "lib/errors")).toContain("nothing of the product");
    expect(rule("lib/api/index.ts", "lib/store/prisma")).toContain("only the composition root");
    expect(rule("components/fleet/page.tsx", "components/editor/form")).toContain("components/fleet may import only");
    expect(rule("app/page.tsx", "recharts", false, true)).toBe("recharts only in components/charts");
    expect(rule("controllers/secret/plan.ts", "react", false, true)).toContain("Next and React only");
  });

  test("and never elsewhere", () => {
    const broken = imports.flatMap((each) => {
      const rule = brokenRule(each.from, each);
      return rule ? [`${each.from} imports ${each.target}: ${rule}`] : [];
    });
    expect(broken).toEqual([]);
  });

  test("without cycles between modules", () => {
    const edges = new Map<string, Set<string>>();
    for (const { from, target, vendor } of imports) {
      if (vendor || moduleOf(from) === moduleOf(target)) continue;
      edges.set(moduleOf(from), (edges.get(moduleOf(from)) ?? new Set()).add(moduleOf(target)));
    }
    expect(
      findCycle(
        new Map([
          ["a", new Set(["b"])],
          ["b", new Set(["a"])],
        ]),
      ),
    ).toEqual(["a", "b", "a"]);
    expect(findCycle(edges)).toBeUndefined();
  });
});

describe("what the world does comes through one place", () => {
  test("time, timers and randomness come from lib/clock", () => {
    const pattern = /\bDate\.now\b|\bnew Date\b|\bset(Timeout|Interval)\(|\bMath\.random\b|\bperformance\.now\b|node:timers/;
    expect(uses(pattern, /^lib\/clock\//)).toEqual([]);
  });

  test("the environment is read in lib/runtime/config.ts", () => {
    // Which of Next's two runtimes this is can only be asked in place: the build decides it there.
    const runtime = /process\.env\.NEXT_RUNTIME/;
    expect(uses(/\bprocess\.env\b/, /^lib\/runtime\/config\.ts$/).filter((line) => !runtime.test(line))).toEqual([]);
  });

  test("nothing is printed past the log", () => {
    expect(uses(/\bconsole\.(log|debug|info)\(/, /^lib\/bench\//)).toEqual([]);
  });
});

describe("the tree says what is where", () => {
  test("there are no other folders at the root", () => {
    const there = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
    const produced = ["node_modules", "test-results", "playwright-report"];
    expect(there.map((entry) => entry.name).filter((name) => !FOLDERS.includes(name) && !produced.includes(name))).toEqual([]);
  });

  test("no file or folder is named after nothing in particular", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|shared|types)(\/|\.[^/]*$)/;
    expect(FOLDERS.flatMap(filesBelow).filter((file) => vague.test(file))).toEqual([]);
  });

  test("each folder of lib has one index.ts and says in a README what it is", () => {
    const folders = readdirSync(path.join(ROOT, "lib"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const lacking = folders.flatMap(({ name }) => {
      // Scripts that run before anything is installed cannot be TypeScript.
      const wanted = name === "setup" ? ["README.md"] : ["README.md", "index.ts"];
      return wanted.filter((file) => !existsSync(path.join(ROOT, "lib", name, file))).map((file) => `lib/${name}/${file}`);
    });
    expect(lacking).toEqual([]);
  });

  test("no source is longer than 400 lines", () => {
    const lines = ({ text }: Source) => text.split("\n").length - 1;
    expect(sources.filter((source) => lines(source) > 400).map((source) => `${source.file}: ${lines(source)} lines`)).toEqual([]);
  });
});
