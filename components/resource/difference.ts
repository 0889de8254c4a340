import { structuredPatch } from "diff";
import type { Comparison, Json } from "@/lib/resource";

/** How one value is shown: nothing, one line, or a block of lines. */
export type Presented =
  | { form: "absent" }
  | { form: "digest"; text: string }
  | { form: "line"; text: string }
  | { form: "block"; text: string };

/** Longer values get a block of their own instead of a table cell. */
const LINE_LENGTH = 96;
const DIGEST = /^(?:•+\s*)?(?:hmac-)?sha256:[0-9a-f]{4,64}$/i;
/** Enough of a digest to tell two apart by eye. */
const DIGEST_DIGITS = 8;

/** Only a digest of a secret ever reaches the browser; it is shown shortened and marked as such. */
function digestOf(value: Json | undefined): string | undefined {
  if (typeof value === "string" && DIGEST.test(value)) return value.replace(/^•+\s*/, "");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { digest } = value;
  return typeof digest === "string" && Object.keys(value).length === 1 ? digest : undefined;
}

export function presentValue(value: Json | undefined): Presented {
  if (value === undefined) return { form: "absent" };
  const digest = digestOf(value);
  if (digest !== undefined) return { form: "digest", text: `••• ${digest.slice(0, digest.lastIndexOf(":") + 1 + DIGEST_DIGITS)}` };
  if (typeof value === "string" && (value.includes("\n") || value.length > LINE_LENGTH)) return { form: "block", text: value };
  const text = JSON.stringify(value);
  if (text.length <= LINE_LENGTH) return { form: "line", text };
  return { form: "block", text: JSON.stringify(value, null, 2) };
}

export interface DiffLine {
  glyph: " " | "+" | "-" | "…";
  text: string;
  /** Line numbers in the old and the new text; absent where the line is not in it. */
  before?: number;
  after?: number;
}

/** Unified line diff with three lines of context; `…` stands for what is left out between hunks. */
export function lineDiff(before: string, after: string, context = 3): DiffLine[] {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context });
  const lines: DiffLine[] = [];
  let shownUntil = 1;
  for (const hunk of hunks) {
    if (hunk.oldStart > shownUntil) lines.push({ glyph: "…", text: `${hunk.oldStart - shownUntil} unchanged` });
    // An empty text has no first line: its hunk begins at 0.
    let oldLine = Math.max(1, hunk.oldStart);
    let newLine = Math.max(1, hunk.newStart);
    for (const raw of hunk.lines) {
      const text = raw.slice(1);
      if (raw.startsWith("+")) lines.push({ glyph: "+", text, after: newLine++ });
      else if (raw.startsWith("-")) lines.push({ glyph: "-", text, before: oldLine++ });
      else if (raw.startsWith(" ")) lines.push({ glyph: " ", text, before: oldLine++, after: newLine++ });
      else lines.push({ glyph: "…", text: "no newline at the end" });
    }
    shownUntil = oldLine;
  }
  const left = (before === "" ? 0 : before.replace(/\n$/, "").split("\n").length) - shownUntil + 1;
  if (lines.length > 0 && left > 0) lines.push({ glyph: "…", text: `${left} unchanged` });
  return lines;
}

/** Both sides as text, when at least one is too long for a cell; undefined when cells are enough. */
export function asTexts(before: Json | undefined, after: Json | undefined): { before: string; after: string } | undefined {
  const sides = [presentValue(before), presentValue(after)] as const;
  if (!sides.some((side) => side.form === "block")) return undefined;
  const [old, next] = sides.map((side) => (side.form === "absent" ? "" : side.text));
  return { before: old ?? "", after: next ?? "" };
}

export interface FieldGroup {
  /** The first step of the path, e.g. `spec`, `grants`. */
  name: string;
  fields: Comparison[];
  differing: number;
}

/** Fields under their first path step, in the order given; with `onlyDifferences` groups without any fall away. */
export function groupFields(fields: readonly Comparison[], onlyDifferences: boolean): FieldGroup[] {
  const groups = new Map<string, FieldGroup>();
  for (const field of fields) {
    if (onlyDifferences && field.same) continue;
    const name = groupName(field.path);
    const group = groups.get(name) ?? { name, fields: [], differing: 0 };
    group.fields.push(field);
    if (!field.same) group.differing += 1;
    groups.set(name, group);
  }
  return [...groups.values()];
}

function groupName(path: string): string {
  const steps = path.split(".");
  return (steps[0] === "spec" && steps.length > 1 ? steps[1] : steps[0]) ?? path;
}
