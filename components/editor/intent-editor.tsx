"use client";

import dynamic from "next/dynamic";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { ActionBar } from "./action-bar";
import { Banners } from "./banners";
import { draftText } from "./draft";
import { IntentForm } from "./intent-form";
import { LeaveGuard } from "./leave-guard";
import { MergeStep } from "./merge-step";
import { SaveDialog } from "./save";
import { SidePanel } from "./side-panel";
import { useEditorKeys } from "./use-keys";
import { type Session, type SessionInput, useSession } from "./use-session";

const YamlEditor = dynamic(() => import("./yaml/yaml-editor"), { ssr: false, loading: () => <Skeleton className="h-80 rounded-lg" /> });

export interface IntentEditorProps extends Omit<SessionInput, "readOnly"> {
  /** Why this person cannot save; the page is then only for reading. */
  refusal?: string;
}

/** Edit, validate, preview, save: one document under a form and under YAML. */
export function IntentEditor({ refusal, ...input }: IntentEditorProps) {
  const { kind, current } = input;
  const readOnly = refusal !== undefined;
  const session = useSession({ ...input, readOnly });
  const { editor, draft, tour, setStep, openSave, previewPanel } = session;
  useEditorKeys({ save: openSave, preview: previewPanel.onPreview, nextProblem: tour.next }, !readOnly && session.step === "edit");
  const keepable = kind.secretFields.length === 0 && draftText(editor.parsed, kind.secretFields, undefined) !== undefined;
  return (
    <>
      <Banners editor={editor} draft={draft} refusal={refusal} hasSecrets={kind.secretFields.length > 0} onMerge={() => setStep("merge")} />
      <ViewSwitch session={session} creating={!current} />
      <div className="grid min-h-[calc(100dvh-15.25rem)] items-start gap-5 pb-6 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,26rem)]">
        <div className="min-w-0">
          <Document session={session} readOnly={readOnly} hostBound={kind.hostBound} />
        </div>
        <SidePanel session={session} readOnly={readOnly} />
      </div>
      {readOnly ? null : <ActionBar session={session} creating={!current} />}
      <Steps session={session} creating={!current} />
      <LeaveGuard active={session.unsaved} kept={keepable} />
    </>
  );
}

function ViewSwitch({ session: { editor }, creating }: { session: Session; creating: boolean }) {
  const { state, dispatch, dirty } = editor;
  return (
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
        {state.base ? `Generation ${state.base.generation}` : "New"}
        {dirty && !creating ? " · unsaved changes" : ""}
      </p>
    </div>
  );
}

function Document({ session, readOnly, hostBound }: { session: Session; readOnly: boolean; hostBound: boolean }) {
  const { editor, tour } = session;
  if (editor.state.view === "form") {
    const hint = hostBound ? "Lives on one machine: its host is set when it is created." : undefined;
    return <IntentForm editor={editor} readOnly={readOnly} hostHint={hint} />;
  }
  return (
    <YamlEditor
      text={editor.state.text}
      onChange={(next) => editor.edit(() => next)}
      schema={editor.schema}
      problems={editor.problems}
      readOnly={readOnly}
      {...(tour.jump ? { jump: tour.jump } : {})}
    />
  );
}

/** The dialogs of the last steps: merging, where somebody was faster, and saving. */
function Steps({ session, creating }: { session: Session; creating: boolean }) {
  const { editor, step, setStep, newer, previewPanel } = session;
  const { name } = editor.ref;
  return (
    <>
      <SaveDialog
        key={step}
        open={step === "save" && !newer}
        onOpenChange={(open) => setStep(open ? "save" : "edit")}
        title={`${creating ? "Create" : "Save"} ${name}`}
        creating={creating}
        suggestion={creating ? `Create ${name}` : ""}
        preview={previewPanel}
        saving={session.saving}
        error={session.saveError}
        standing={session.standing}
        onSave={session.save}
      />
      {newer ? (
        <MergeStep
          key={newer.resourceVersion}
          editor={editor}
          newest={newer}
          open={step === "merge" || session.conflict !== undefined}
          onClose={session.endMerge}
        />
      ) : null}
    </>
  );
}
