import { describe, expect, it } from "vitest";
import type { ApiObject } from "@/lib/api/contract";
import { parseText, setAt } from "../document";
import { baseOf, candidateOf } from "./candidate";
import {
  currentFaults,
  type EditorState,
  editorReducer,
  isDirty,
  isPreviewCurrent,
  movedOn,
  startEditing,
  withChanges,
} from "./editor-state";

const object: ApiObject = {
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "ReplicaSet",
  metadata: {
    name: "web",
    namespace: "default",
    uid: "u1",
    resourceVersion: "41",
    generation: 3,
    creationTimestamp: "2026-01-01T00:00:00.000Z",
    labels: { tier: "edge" },
    annotations: { "setpoint.dev/change-message": "why", note: "n" },
    finalizers: ["setpoint.dev/cleanup"],
    ownerReferences: [{ apiVersion: "setpoint.dev/v1alpha1", kind: "Group", name: "g", uid: "u0" }],
  },
  spec: { replicas: 2, template: { command: ["x"] } },
  control: { mode: "Auto", deletionPolicy: "Delete" },
  freshness: { observedAt: null, stale: false },
  view: { state: "Converged", health: "Healthy", reason: "Converged", message: "" },
};
const base = baseOf(object);
const start = (): EditorState => startEditing(base.intent, base, "form");
const answer = { generation: 3, hash: "h", observedAt: null, drift: [], fields: [], actions: [] };

describe("what is edited", () => {
  it("is the intent alone: nothing that the server writes, and not the message of an earlier change", () => {
    expect(parseText(start().text).value).toEqual({
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "ReplicaSet",
      metadata: { name: "web", namespace: "default", labels: { tier: "edge" }, annotations: { note: "n" } },
      spec: object.spec,
    });
  });

  it("is sent with the version it was an edit of and the owners it had", () => {
    const draft = candidateOf(parseText(start().text).value, base);
    expect(draft?.metadata).toEqual({
      name: "web",
      namespace: "default",
      labels: { tier: "edge" },
      annotations: { note: "n" },
      resourceVersion: "41",
      ownerReferences: object.metadata.ownerReferences,
    });
  });

  it("is not sent while it lacks what every object has", () => {
    for (const text of [
      "",
      "[]",
      "kind: A\n",
      "apiVersion: a\nkind: A\nmetadata: {}\nspec: {}\n",
      "apiVersion: a\nkind: A\nmetadata:\n  name: a\n",
    ])
      expect(candidateOf(parseText(text).value, undefined)).toBeUndefined();
  });
});

describe("a preview", () => {
  const previewed = () => {
    const state = start();
    return editorReducer(state, { type: "previewed", preview: { text: state.text, base, answer } });
  };

  it("is outdated by any edit, and right again when the edit is undone", () => {
    const state = previewed();
    expect(isPreviewCurrent(state)).toBe(true);
    const edited = editorReducer(state, { type: "edited", text: setAt(state.text, ["spec", "replicas"], 3) });
    expect(isPreviewCurrent(edited)).toBe(false);
    expect(isPreviewCurrent(editorReducer(edited, { type: "edited", text: state.text }))).toBe(true);
  });

  it("is outdated when somebody saves another intent, and not when only the report moves", () => {
    const state = previewed();
    const reported = { ...base, resourceVersion: "42" };
    expect(movedOn(base, reported)).toBe(false);
    expect(isPreviewCurrent(editorReducer(state, { type: "rebased", base: reported, text: state.text }))).toBe(true);
    const saved = baseOf({
      ...object,
      metadata: { ...object.metadata, resourceVersion: "43", generation: 4 },
      spec: { ...object.spec, replicas: 9 },
    });
    expect(movedOn(base, saved)).toBe(true);
    expect(isPreviewCurrent(editorReducer(state, { type: "rebased", base: saved, text: state.text }))).toBe(false);
  });
});

describe("the editor's state", () => {
  it("knows unsaved work, and that an undone edit is none", () => {
    const state = start();
    const edited = editorReducer(state, { type: "edited", text: `${state.text}# note\n` });
    expect(isDirty(edited)).toBe(true);
    expect(isDirty(editorReducer(edited, { type: "edited", text: state.text }))).toBe(false);
  });

  it("forgets what the server said as soon as the text is another, and remembers on undo", () => {
    const state = start();
    const refused = editorReducer(state, { type: "refused", text: state.text, faults: [{ field: "spec.replicas", message: "too many" }] });
    expect(currentFaults(refused)).toHaveLength(1);
    const edited = editorReducer(refused, { type: "edited", text: `${state.text}\n` });
    expect(currentFaults(edited)).toHaveLength(0);
    expect(currentFaults(editorReducer(edited, { type: "edited", text: state.text }))).toHaveLength(1);
  });

  it("keeps my work and its comments when it is put on top of a newer version", () => {
    const state = start();
    const mine = `# mine\n${state.text}`;
    const text = withChanges(mine, [{ path: ["spec", "replicas"], value: 9 }]);
    const rebased = editorReducer(editorReducer(state, { type: "edited", text: mine }), {
      type: "rebased",
      base: { ...base, resourceVersion: "50" },
      text,
    });
    expect(rebased.text).toContain("# mine");
    expect(rebased.text).toContain("replicas: 9");
    expect(isDirty(rebased)).toBe(true);
  });
});
