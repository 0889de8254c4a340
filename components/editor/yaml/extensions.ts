import { autocompletion, type CompletionContext, type CompletionResult, completionKeymap, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension, type Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import type { Problem } from "../problems";
import type { ObjectNode } from "../schema";
import { suggest } from "./completion";
import { theme } from "./theme";

export interface EditorOptions {
  schema: ObjectNode;
  label: string;
  describedBy: string;
  readOnly: boolean;
  nonce: string | undefined;
  onChange: (text: string) => void;
}

/** Everything the YAML editor is made of. Tab indents; Escape and then Tab leaves. */
export function extensionsFor(options: EditorOptions): Extension {
  return [
    options.nonce ? EditorView.cspNonce.of(options.nonce) : [],
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    yaml(),
    theme,
    autocompletion({ override: [completeFrom(options.schema)], icons: false }),
    // ⌘Enter previews the page; the editor's own use of it would swallow the key.
    keymap.of([...completionKeymap, ...defaultKeymap.filter((binding) => binding.key !== "Mod-Enter"), ...historyKeymap, indentWithTab]),
    EditorState.readOnly.of(options.readOnly),
    EditorView.contentAttributes.of({
      "aria-label": options.label,
      "aria-describedby": options.describedBy,
      spellcheck: "false",
      autocapitalize: "off",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onChange(update.state.doc.toString());
    }),
  ];
}

function completeFrom(schema: ObjectNode) {
  return (context: CompletionContext): CompletionResult | null => {
    const found = suggest(schema, context.state.doc.toString(), context.pos);
    if (!found || (found.place.word === "" && !context.explicit && found.place.typing === "key")) return null;
    return {
      from: context.pos - found.place.word.length,
      options: found.suggestions.map((suggestion, index) => ({
        label: suggestion.label,
        detail: suggestion.detail,
        ...(suggestion.info ? { info: suggestion.info } : {}),
        boost: -index,
        apply: (view: EditorView, _completion: unknown, from: number, to: number) => {
          view.dispatch({ changes: { from, to, insert: suggestion.insert }, selection: { anchor: from + suggestion.insert.length } });
          if (suggestion.insert.endsWith(": ")) startCompletion(view);
        },
      })),
    };
  };
}

/** Marks the problems in the text. What is only missing is marked more quietly than what is wrong. */
export function showProblems(view: EditorView, problems: readonly Problem[]): void {
  const length = view.state.doc.length;
  const diagnostics = problems.map((problem): Diagnostic => {
    const from = Math.min(problem.place.from, length);
    const to = Math.min(Math.max(problem.place.to, from), length);
    const source = problem.source === "server" ? { source: "server" } : {};
    return { from, to, severity: problem.missing ? "info" : "error", message: problem.message, ...source };
  });
  view.dispatch(
    setDiagnostics(
      view.state,
      diagnostics.sort((a, b) => a.from - b.from),
    ),
  );
}

/** The least change that makes the editor's text `next`, so that cursor and undo survive an edit from outside. */
export function changeTo(doc: Text, next: string): { from: number; to: number; insert: string } | undefined {
  const current = doc.toString();
  if (current === next) return undefined;
  let start = 0;
  while (start < current.length && start < next.length && current[start] === next[start]) start++;
  let end = 0;
  while (end < current.length - start && end < next.length - start && current[current.length - 1 - end] === next[next.length - 1 - end])
    end++;
  return { from: start, to: current.length - end, insert: next.slice(start, next.length - end) };
}
