import type { PlanAnswer } from "@/lib/api/contract";
import { deepEqual, type Json, type JsonObject, type ManagedFields, type OwnerReference } from "@/lib/resource";
import { intentText, type Path, pathKey, setAt } from "../document";
import type { ServerFault } from "../problems";

/** What an edit started from: the stored intent, and the version that says so. */
export interface Base {
  intent: Json;
  resourceVersion: string;
  generation: number;
  /** Sent back as they are: who owns the object is not edited here. */
  ownerReferences?: OwnerReference[];
  /** What a draft does not keep: the object's identity, its hand, and who owns which field. */
  uid?: string;
  control?: JsonObject;
  managedFields?: ManagedFields[];
}

/** A preview and exactly what it is a preview of. */
export interface PinnedPreview {
  text: string;
  base?: Base;
  answer: PlanAnswer;
}

export type View = "form" | "yaml";

/** One document and what is known about it. The text is the only copy of the work; everything else is derived from it. */
export interface EditorState {
  text: string;
  /** The text without any edit: what "unsaved" is measured against. */
  startText: string;
  base?: Base;
  view: View;
  /** Fields a person has been in: only those complain about being empty. */
  touched: ReadonlySet<string>;
  /** Previewing or saving was asked for: now every field complains. */
  attempted: boolean;
  preview?: PinnedPreview;
  /** What the server said about one text; void as soon as the text is another. */
  refusal?: { text: string; faults: ServerFault[] };
}

export type EditorAction =
  | { type: "edited"; text: string }
  | { type: "touched"; path: Path }
  | { type: "attempted" }
  | { type: "viewed"; view: View }
  | { type: "previewed"; preview: PinnedPreview }
  | { type: "refused"; text: string; faults: ServerFault[] }
  /** The stored object moved on: `text` is the work on top of it. */
  | { type: "rebased"; base: Base; text: string }
  | { type: "restored"; text: string; base?: Base };

export function startEditing(intent: Json, base: Base | undefined, view: View): EditorState {
  const text = intentText(intent);
  return { text, startText: text, ...(base ? { base } : {}), view, touched: new Set(), attempted: false };
}

export function editorReducer(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case "edited":
      return action.text === state.text ? state : { ...state, text: action.text };
    case "touched":
      return state.touched.has(pathKey(action.path)) ? state : { ...state, touched: new Set([...state.touched, pathKey(action.path)]) };
    case "attempted":
      return { ...state, attempted: true };
    case "viewed":
      return { ...state, view: action.view };
    case "previewed":
      return { ...state, preview: action.preview };
    case "refused":
      return { ...state, refusal: { text: action.text, faults: action.faults } };
    case "rebased":
      return { ...state, base: action.base, startText: intentText(action.base.intent), text: action.text };
    case "restored":
      return { ...state, text: action.text, ...(action.base ? { base: action.base } : {}) };
  }
}

/** Whether there is work that would be lost. */
export function isDirty(state: EditorState): boolean {
  return state.text !== state.startText;
}

/** Whether the preview still says what saving would do. A newer version with the same intent changes nothing. */
export function isPreviewCurrent({ preview, text, base }: Pick<EditorState, "preview" | "text" | "base">): boolean {
  return preview !== undefined && preview.text === text && deepEqual(preview.base?.intent, base?.intent);
}

/** Faults that the server found in exactly this text: an undo or any other edit clears them. */
export function currentFaults({ refusal, text }: Pick<EditorState, "refusal" | "text">): readonly ServerFault[] {
  return refusal?.text === text ? refusal.faults : [];
}

/** The text with the given values put in, comments kept. */
export function withChanges(text: string, changes: readonly { path: Path; value: Json | undefined }[]): string {
  return changes.reduce((next, change) => setAt(next, change.path, change.value), text);
}

/** Whether a newer stored object holds another intent than the one being edited. */
export function movedOn(base: Base | undefined, current: Base | undefined): current is Base {
  return base !== undefined && current !== undefined && !deepEqual(base.intent, current.intent);
}
