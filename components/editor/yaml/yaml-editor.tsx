"use client";

import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useId, useRef } from "react";
import { useNonce } from "@/components/layout/nonce";
import type { Problem } from "../problems";
import type { ObjectNode } from "../schema";
import { changeTo, extensionsFor, showProblems } from "./extensions";

export interface YamlEditorProps {
  text: string;
  onChange: (text: string) => void;
  schema: ObjectNode;
  problems: readonly Problem[];
  readOnly: boolean;
  /** Where to put the cursor; a new object jumps again. */
  jump?: { offset: number };
}

/** CodeMirror over the one document. The page owns the text; the editor follows it and reports edits. */
export default function YamlEditor({ text, onChange, schema, problems, readOnly, jump }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const nonce = useNonce();
  const hint = useId();
  const report = useRef(onChange);
  const start = useRef(text);
  useEffect(() => {
    report.current = onChange;
    start.current = text;
  });
  useEffect(() => {
    if (!host.current) return;
    const options = {
      schema,
      label: "YAML of the intent",
      describedBy: hint,
      readOnly,
      nonce,
      onChange: (next: string) => report.current(next),
    };
    const created = new EditorView({
      state: EditorState.create({ doc: start.current, extensions: extensionsFor(options) }),
      parent: host.current,
    });
    view.current = created;
    return () => {
      created.destroy();
      view.current = null;
    };
  }, [schema, readOnly, nonce, hint]);
  useEffect(() => {
    const change = view.current && changeTo(view.current.state.doc, text);
    if (change) view.current?.dispatch({ changes: change });
  }, [text]);
  useEffect(() => {
    if (view.current) showProblems(view.current, problems);
  }, [problems]);
  useEffect(() => {
    if (!jump || !view.current) return;
    const anchor = Math.min(jump.offset, view.current.state.doc.length);
    view.current.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    view.current.focus();
  }, [jump]);
  return (
    <div>
      <div ref={host} className="overflow-hidden rounded-lg border border-line focus-within:outline-2 focus-within:outline-focus" />
      <p id={hint} className="mt-1 text-muted text-xs">
        Tab indents; press Escape and then Tab to leave the editor. Ctrl+Space completes from the schema.
      </p>
    </div>
  );
}
