/** The product's sources and what they import, read from the files themselves: for the tests of the architecture. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The folders that hold the product. */
export const FOLDERS = ["app", "components", "controllers", "e2e", "lib", "prisma", "public"];

export interface Import {
  /** From the root (`lib/clock`), or a package's name as written. */
  target: string;
  /** True when it is a package. */
  vendor: boolean;
  /** True when nothing of it is left at run time. */
  typeOnly: boolean;
}

export interface Source {
  /** From the root, with slashes. */
  file: string;
  text: string;
  /** Without comments. */
  code: string;
  /** Tests and their set-up may reach everywhere. */
  test: boolean;
  imports: Import[];
}

/** Every TypeScript source of the product, and the few that stand at the root. */
export function readSources(): Source[] {
  const inFolders = FOLDERS.flatMap((folder) => filesBelow(folder)).filter((file) => !file.startsWith("prisma/generated/"));
  const sources = [...inFolders, "instrumentation.ts", "proxy.ts"].filter((file) => /\.tsx?$/.test(file)).flatMap(readSource);
  markSupport(sources);
  return sources;
}

/** What only tests import is part of the tests, whatever it is called. */
function markSupport(sources: Source[]): void {
  const importers = new Map<string, Source[]>();
  for (const source of sources) {
    for (const { target } of source.imports) importers.set(target, [...(importers.get(target) ?? []), source]);
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (const source of sources.filter(({ test, file }) => !test && !/\/index\.tsx?$/.test(file))) {
      const by = importers.get(source.file.replace(/\.tsx?$/, "")) ?? [];
      if (by.length === 0 || by.some(({ test }) => !test)) continue;
      source.test = true;
      changed = true;
    }
  }
}

/** Every file below a folder of the root, whatever it is. */
export function filesBelow(folder: string): string[] {
  // An empty folder is not in a clone.
  if (!existsSync(path.join(ROOT, folder))) return [];
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}

function readSource(file: string): Source[] {
  let text: string;
  try {
    text = readFileSync(path.join(ROOT, file), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[\s;{(])\/\/.*$/gm, "$1");
  const test = /\.(test|setup|spec)\.tsx?$/.test(file) || file.startsWith("e2e/");
  return [{ file, text, code, test, imports: importsOf(file, code) }];
}

function importsOf(file: string, code: string): Import[] {
  const found: Import[] = [];
  for (const [, type, names = "", from = ""] of code.matchAll(/^(?:import|export)\s+(type\s)?([^;"']*?)\s*from\s*["']([^"']+)["']/gm)) {
    const each = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
    const allTypes = each?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type "));
    found.push(resolve(file, from, Boolean(type) || allTypes === true));
  }
  for (const [, from = ""] of code.matchAll(/^import\s*["']([^"']+)["']/gm)) found.push(resolve(file, from, false));
  for (const [, from = ""] of code.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) found.push(resolve(file, from, false));
  return found;
}

function resolve(file: string, from: string, typeOnly: boolean): Import {
  if (from.startsWith("@/")) return { target: from.slice(2), vendor: false, typeOnly };
  if (from.startsWith(".")) return { target: path.posix.join(path.posix.dirname(file), from), vendor: false, typeOnly };
  return { target: from, vendor: true, typeOnly };
}
