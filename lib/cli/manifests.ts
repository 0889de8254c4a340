/** The objects in the files of -f: YAML or JSON, one or many, a folder, or - for the input. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import type { JsonObject } from "@/lib/resource";
import { Failure } from "./failure";
import { isMap } from "./objects";
import type { Session } from "./session";

const EXTENSIONS = [".yaml", ".yml", ".json"];
/** What a backup begins with. */
export const BACKUP_KIND = "BackupManifest";

export interface Manifest {
  /** Where it stands, for messages. */
  source: string;
  document: JsonObject;
}

export async function manifestsOf({ options, terminal }: Session): Promise<Manifest[]> {
  const files = options.filename ?? [];
  if (files.length === 0) throw new Failure("name the files with -f (a file, a folder, or - for the input)");
  const texts = await Promise.all(
    files.flatMap(expand).map(async (file) => ({ file, text: file === "-" ? await terminal.stdin() : read(file) })),
  );
  const found = texts.flatMap(({ file, text }) => documentsOf(file, text));
  if (found.length === 0) throw new Failure(`there is no object in ${files.join(", ")}`);
  return found;
}

function expand(file: string): string[] {
  if (file === "-") return [file];
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new Failure(`${file} does not exist`);
  if (!stats.isDirectory()) return [file];
  return readdirSync(file)
    .filter((name) => EXTENSIONS.includes(path.extname(name)))
    .sort()
    .map((name) => path.join(file, name));
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function documentsOf(file: string, text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((parsed, index): Manifest[] => {
    const source = `${file === "-" ? "the input" : file}${index === 0 ? "" : `, document ${index + 1}`}`;
    const [fault] = parsed.errors;
    if (fault) throw new Failure(`${source} is not YAML: ${fault.message.split("\n")[0]}`);
    const value: unknown = parsed.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return [];
    if (!isMap(value)) throw new Failure(`${source} is no object`);
    if (value.kind === BACKUP_KIND) return [];
    if (value.kind !== "List") return [{ source, document: value }];
    if (!Array.isArray(value.items)) throw new Failure(`${source} is a list without items`);
    return value.items.map((item, position) => {
      if (!isMap(item)) throw new Failure(`${source}: items[${position}] is no object`);
      return { source: `${source}: items[${position}]`, document: item };
    });
  });
}
