"use client";

import { useEffect, useRef } from "react";

/** ⌘/Ctrl+S saves, ⌘/Ctrl+Enter previews, F8 goes to the next problem: also from within fields and the YAML. */
export function useEditorKeys(actions: { save: () => void; preview: () => void; nextProblem: () => void }, enabled: boolean): void {
  const newest = useRef(actions);
  useEffect(() => {
    newest.current = actions;
  });
  useEffect(() => {
    if (!enabled) return;
    const onKey = (event: KeyboardEvent) => {
      const command = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
      const action =
        command && event.key.toLowerCase() === "s"
          ? newest.current.save
          : command && event.key === "Enter"
            ? newest.current.preview
            : event.key === "F8"
              ? newest.current.nextProblem
              : undefined;
      if (!action) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [enabled]);
}
