"use client";

import { useMemo } from "react";
import { compareThree, MergeDialog, takenFrom } from "./merge";
import { type Base, type Editor, withChanges } from "./state";

/** Merges a newer stored intent into the edit. The result is on the new version, and previewed again before it is saved. */
export function MergeStep({ editor, newest, open, onClose }: { editor: Editor; newest: Base; open: boolean; onClose: () => void }) {
  const { state, dispatch, value } = editor;
  const fields = useMemo(() => compareThree(state.base?.intent, newest.intent, value), [state.base, newest, value]);
  return (
    <MergeDialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      fields={fields}
      generation={newest.generation}
      onMerge={(choices) => {
        dispatch({ type: "rebased", base: newest, text: withChanges(state.text, takenFrom(fields, choices)) });
        onClose();
      }}
    />
  );
}
