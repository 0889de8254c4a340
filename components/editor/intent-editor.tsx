"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Card, CardBody, CardHeader } from "@/components/ui/card";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { useToast } from "@/components/ui/toast";
import type { ApiObject, KindInfo } from "@/lib/api/contract";
import { resourceHref } from "@/lib/client";
import type { JsonObject } from "@/lib/resource";
import { ActionBar } from "./action-bar";
import { Banners } from "./banners";
import { Defaults } from "./defaults";
import { draftKey, draftText, useDraft } from "./draft";
import { focusField } from "./form/focus";
import { IntentForm } from "./intent-form";
import { LeaveGuard } from "./leave-guard";
import { MergeStep } from "./merge-step";
import { PreviewPanel } from "./preview";
import { nextProblem } from "./problems";
import { ProblemList } from "./problems/problem-list";
import { SaveDialog } from "./save";
import { isPreviewCurrent, useEditor, useSave } from "./state";
import { useEditorKeys } from "./use-keys";

const YamlEditor = dynamic(() => import("./yaml/yaml-editor"), { ssr: false, loading: () => <Skeleton className="h-80 rounded-lg" /> });

export interface IntentEditorProps {
  kind: KindInfo;
  /** The newest stored object; absent for a new one. */
  current?: ApiObject;
  start: JsonObject;
  user: string;
  /** Why this person cannot save; the page is then only for reading. */
  refusal?: string;
}

/** Edit, validate, preview, save: one document under a form and under YAML. */
export function IntentEditor({ kind, current, start, user, refusal }: IntentEditorProps) {
  const router = useRouter();
  const toast = useToast();
  const readOnly = refusal !== undefined;
  const [saved, setSaved] = useState(false);
  const editor = useEditor({ kind, ...(current ? { current } : {}), start, idle: readOnly || saved });
  const { state, dispatch, problems, dirty, ref } = editor;
  const [saving, setSaving] = useState(false);
  const [merging, setMerging] = useState(false);
  const [jump, setJump] = useState<{ offset: number; index: number }>();
  const key = draftKey(user, kind.plural, current ? ref.namespace : "", current ? ref.name : "");
  const { text, startText, base } = state;
  const draft = useDraft({ key, text, startText, base, secretFields: kind.secretFields, enabled: !readOnly && !saved });
  const { preview, save, conflict, setConflict } = useSave(editor, (object) => {
    setSaved(true);
    draft.forget();
    toast("ok", {
      title: current ? `Saved ${object.metadata.name}` : `Created ${object.metadata.name}`,
      description: `Generation ${object.metadata.generation}`,
    });
    router.push(resourceHref({ plural: kind.plural, namespace: object.metadata.namespace, name: object.metadata.name }));
  });
  const go = (index: number) => {
    const problem = problems[index];
    if (!problem) return;
    dispatch({ type: "attempted" });
    setJump({ offset: problem.place.from, index });
    if (state.view === "form" && problem.path && problem.source !== "syntax") focusField(problem.path);
    else dispatch({ type: "viewed", view: "yaml" });
  };
  const goNext = () => {
    const index = nextProblem(problems, jump?.index ?? -1);
    if (index !== undefined) go(index);
  };
  const isCurrent = isPreviewCurrent(state);
  const runPreview = () => {
    if (problems.length > 0 || !editor.check.settled) return go(0);
    dispatch({ type: "attempted" });
    if (!preview.isPending) preview.mutate({ text, ...(base ? { base } : {}) });
  };
  const openSave = () => {
    if (editor.behind) return setMerging(true);
    if (problems.length > 0) return go(0);
    if (!dirty && current) return toast("info", { title: "Nothing to save", description: "The intent is as it is stored." });
    if (!isCurrent) runPreview();
    save.reset();
    setSaving(true);
  };
  useEditorKeys({ save: openSave, preview: runPreview, nextProblem: goNext }, !readOnly && !saving && !merging);
  const hindrance = problems.length > 0 ? "Put the problems right first." : undefined;
  const previewProps = {
    preview: state.preview,
    current: isCurrent,
    pending: preview.isPending,
    error: preview.error,
    onPreview: runPreview,
    ...(hindrance ? { hindrance } : {}),
  };
  const newer = conflict ?? editor.behind;
  return (
    <>
      <Banners editor={editor} draft={draft} refusal={refusal} hasSecrets={kind.secretFields.length > 0} onMerge={() => setMerging(true)} />
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <Segmented
          label="View"
          value={state.view}
          onValueChange={(view) => dispatch({ type: "viewed", view })}
          options={[
            { value: "form", label: "Form" },
            { value: "yaml", label: "YAML" },
          ]}
        />
        <p className="text-muted text-xs">
          {base ? `Generation ${base.generation}` : "New"}
          {dirty && current ? " · unsaved changes" : ""}
        </p>
      </div>
      <div className="grid gap-5 pb-6 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,26rem)]">
        <div className="min-w-0">
          {state.view === "form" ? (
            <IntentForm
              editor={editor}
              readOnly={readOnly}
              hostHint={kind.hostBound ? "Lives on one machine: its host is set when it is created." : undefined}
            />
          ) : (
            <YamlEditor
              text={text}
              onChange={(next) => editor.edit(() => next)}
              schema={editor.schema}
              problems={problems}
              readOnly={readOnly}
              {...(jump ? { jump } : {})}
            />
          )}
        </div>
        <aside
          className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-18 lg:max-h-[calc(100dvh-9rem)] lg:self-start lg:overflow-y-auto"
          aria-label="Problems and preview"
        >
          {readOnly ? null : (
            <>
              <Card>
                <CardHeader title={problems.length > 0 ? `To put right (${problems.length})` : "Problems"} />
                <CardBody>
                  <ProblemList problems={problems} confirmed={editor.check.confirmed} onGo={go} />
                </CardBody>
              </Card>
              <Card>
                <CardHeader title="Preview" />
                <CardBody>
                  <PreviewPanel {...previewProps} />
                </CardBody>
              </Card>
            </>
          )}
          <Defaults schema={editor.schema} value={editor.value} />
        </aside>
      </div>
      {readOnly ? null : (
        <ActionBar
          problems={problems.length}
          dirty={dirty}
          creating={!current}
          previewing={preview.isPending}
          onPreview={runPreview}
          onSave={openSave}
          onNextProblem={goNext}
        />
      )}
      <SaveDialog
        key={String(saving)}
        open={saving && !newer}
        onOpenChange={setSaving}
        title={current ? `Save ${ref.name}` : `Create ${ref.name}`}
        creating={!current}
        suggestion={current ? "" : `Create ${ref.name}`}
        preview={previewProps}
        saving={save.isPending || save.isSuccess}
        error={save.error && !conflict ? save.error : null}
        onSave={(message) => save.mutate({ text, ...(base ? { base } : {}), message })}
      />
      {newer ? (
        <MergeStep
          key={newer.resourceVersion}
          editor={editor}
          newest={newer}
          open={merging || conflict !== undefined}
          onClose={() => {
            setMerging(false);
            setConflict(undefined);
            setSaving(false);
          }}
        />
      ) : null}
      <LeaveGuard
        active={dirty && !saved && !readOnly}
        kept={draftText(editor.parsed, kind.secretFields, base?.intent) !== undefined && kind.secretFields.length === 0}
      />
    </>
  );
}
