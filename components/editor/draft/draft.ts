import type { Json } from "@/lib/resource";
import { intentText, type ParsedText } from "../document";
import { asObject, withoutSecrets } from "../schema";

/** Unsaved work as the browser keeps it. Never holds a secret. */
export interface Draft {
  text: string;
  /** ISO 8601. */
  savedAt: string;
  /** What the text was an edit of, so that newer edits of others are merged and not undone; absent for a new object. */
  base?: { intent: Json; resourceVersion: string; generation: number };
}

/** Drafts larger than this are not kept: the browser's storage is small and shared. */
const LARGEST = 512 * 1024;

/** Where the draft of one person and one object is kept. */
export function draftKey(user: string, plural: string, namespace: string, name: string): string {
  return `setpoint.draft/${[user, plural, namespace, name].map(encodeURIComponent).join("/")}`;
}

/**
 * The text that may be kept. A kind with secret fields is kept by value alone, without what was typed into them and without comments
 * (a secret may be in a comment too); a text that cannot be read is then not kept at all. Undefined: keep nothing.
 */
export function draftText(parsed: ParsedText, secretFields: readonly string[], stored: Json | undefined): string | undefined {
  if (parsed.text.length > LARGEST) return undefined;
  if (secretFields.length === 0) return parsed.text;
  if (parsed.value === undefined || parsed.faults.length > 0) return undefined;
  return intentText(withoutSecrets(secretFields, stored, parsed.value));
}

/** Reads what a browser kept; undefined when it is not a draft. */
export function readDraft(raw: string | null): Draft | undefined {
  if (raw === null) return undefined;
  try {
    const value: Json = JSON.parse(raw);
    const { text, savedAt, base } = asObject(value) ?? {};
    if (typeof text !== "string" || typeof savedAt !== "string") return undefined;
    const { intent, resourceVersion, generation } = asObject(base) ?? {};
    const whole = intent !== undefined && typeof resourceVersion === "string" && typeof generation === "number";
    return { text, savedAt, ...(whole ? { base: { intent, resourceVersion, generation } } : {}) };
  } catch {
    return undefined;
  }
}

/** The storage of this browser; a browser that refuses it just keeps no drafts. */
export interface DraftStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export function loadDraft(storage: DraftStorage, key: string): Draft | undefined {
  try {
    return readDraft(storage.getItem(key));
  } catch {
    return undefined;
  }
}

/** Keeps a draft, or removes it when `draft` is undefined. False when the browser refused. */
export function storeDraft(storage: DraftStorage, key: string, draft: Draft | undefined): boolean {
  try {
    if (draft) storage.setItem(key, JSON.stringify(draft));
    else storage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}
