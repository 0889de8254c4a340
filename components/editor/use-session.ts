"use client";

import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { useToast } from "@/components/ui/toast";
import type { ApiObject, KindInfo } from "@/lib/api/contract";
import { resourceHref } from "@/lib/client";
import { systemClock } from "@/lib/clock";
import type { JsonObject } from "@/lib/resource";
import { draftKey, useDraft } from "./draft";
import { focusField } from "./form/focus";
import type { PreviewPanelProps } from "./preview";
import { nextProblem } from "./problems";
import { type Base, editPlan, isPreviewCurrent, useEditor, useSave, type Wish } from "./state";

export interface SessionInput {
  kind: KindInfo;
  /** The newest stored object; absent for a new one. */
  current?: ApiObject;
  start: JsonObject;
  user: string;
  readOnly: boolean;
}

/** One editing session: the document, its draft, and the steps Edit, Validate, Preview, Save. */
export function useSession({ kind, current, start, user, readOnly }: SessionInput) {
  const router = useRouter();
  const toast = useToast();
  const [saved, setSaved] = useState(false);
  const [step, setStep] = useState<"edit" | "save" | "merge">("edit");
  const editor = useEditor({ kind, ...(current ? { current } : {}), start, idle: readOnly || saved });
  const { state, dispatch, problems, dirty, ref } = editor;
  const { text, startText, base } = state;
  const key = draftKey(user, kind.plural, current ? ref.namespace : "", current ? ref.name : "");
  const draft = useDraft({ key, text, startText, base, secretFields: kind.secretFields, enabled: !readOnly && !saved });
  const { preview, save, conflict, setConflict } = useSave(editor, ({ metadata }) => {
    setSaved(true);
    draft.forget();
    toast("ok", { title: `${current ? "Saved" : "Created"} ${metadata.name}`, description: `Generation ${metadata.generation}` });
    router.push(resourceHref({ plural: kind.plural, namespace: metadata.namespace, name: metadata.name }));
  });
  const tour = useTour(editor);
  const input = { text, ...(base ? { base } : {}) };
  const runPreview = (shown?: () => void) => {
    if (problems.length > 0) return tour.go(0);
    dispatch({ type: "attempted" });
    if (!preview.isPending) preview.mutate(input, { onSettled: shown });
  };
  const openSave = () => {
    if (editor.behind) return setStep("merge");
    if (problems.length > 0) return tour.go(0);
    if (!dirty && current) return toast("info", { title: "Nothing to save", description: "The intent is as it is stored." });
    if (!isPreviewCurrent(state)) runPreview();
    save.reset();
    setStep("save");
  };
  const previewPanel: PreviewPanelProps = {
    preview: state.preview,
    current: isPreviewCurrent(state),
    pending: preview.isPending,
    error: conflict ? null : preview.error,
    onPreview: () => runPreview(showPreview),
    ...(problems.length > 0 ? { hindrance: "Put the problems right first." } : {}),
  };
  return {
    editor,
    draft,
    tour,
    step,
    setStep,
    openSave,
    previewPanel,
    /** A newer stored intent that has to be merged before saving. */
    newer: conflict ?? editor.behind,
    conflict,
    endMerge: () => {
      preview.reset();
      setStep("edit");
      setConflict(undefined);
    },
    saving: save.isPending || saved,
    saveError: conflict ? null : save.error,
    /** Fields that others apply again and that this edit changes: to be taken over on purpose, or left. */
    standing: useMemo(
      () => (base ? editPlan(withOwners(base, editor.newest), editor.value, editor.shape).standing : []),
      [base, editor.newest, editor.value, editor.shape],
    ),
    save: (wish: Wish) => save.mutate({ ...input, ...wish }),
    unsaved: dirty && !saved && !readOnly,
  };
}

/** The base of a restored draft knows no owners; at the same version they are those of the newest. */
function withOwners(base: Base, newest: Base | undefined): Base {
  return newest && newest.resourceVersion === base.resourceVersion ? { ...base, ...newest } : base;
}

export type Session = ReturnType<typeof useSession>;

/** The id of the preview beside the document. */
export const PREVIEW_ID = "editor-preview";

/** On a phone the preview stands below the form: bring it into view once it is there. */
function showPreview(): void {
  systemClock.after(50, () => document.getElementById(PREVIEW_ID)?.scrollIntoView({ block: "nearest" }));
}

/** Going from problem to problem, in the form where it has a field, else in the YAML. */
function useTour({ problems, state, dispatch }: ReturnType<typeof useEditor>) {
  const [jump, setJump] = useState<{ offset: number; index: number }>();
  const go = (index: number) => {
    const problem = problems[index];
    if (!problem) return;
    dispatch({ type: "attempted" });
    setJump({ offset: problem.place.from, index });
    if (state.view === "form" && problem.path && problem.source !== "syntax") focusField(problem.path);
    else dispatch({ type: "viewed", view: "yaml" });
  };
  const next = () => {
    const index = nextProblem(problems, jump?.index ?? -1);
    if (index !== undefined) go(index);
  };
  return { jump, go, next };
}
