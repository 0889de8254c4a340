import type { SchemaNode } from "../schema";

/** A word for people from a field's key: `stopGraceSeconds` becomes `Stop grace seconds`. */
export function wordsOf(key: string): string {
  const spaced = key.replace(/([a-z0-9])([A-Z])/g, (_all, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export function labelOfField(key: string, node: SchemaNode): string {
  return node.title ?? wordsOf(key);
}

/** A value in one short line, for placeholders and defaults. */
export function shortValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Whether a text gets a box of several lines. */
export function isMultiline(node: SchemaNode, value: unknown): boolean {
  if (typeof value === "string" && value.includes("\n")) return true;
  if (node.type !== "text") return false;
  return (
    node.multiline === true ||
    node.format === "textarea" ||
    node.examples.some((example) => typeof example === "string" && example.includes("\n"))
  );
}

/** A message as a sentence. Only a word begins with a capital letter: what is named (`file:host:path`) stays as it is. */
export function sentenceOf(message: string): string {
  const begun = message.replace(/^[a-z](?=[a-z]*(?:[ ,.!?]|$))/, (first) => first.toUpperCase());
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
