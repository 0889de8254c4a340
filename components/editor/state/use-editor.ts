"use client";

import { type Dispatch, useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import type { ApiObject, KindInfo } from "@/lib/api/contract";
import type { ObjectRef } from "@/lib/client";
import type { JsonObject } from "@/lib/resource";
import { intentText, namesOf, type ParsedText, parseText } from "../document";
import { type CheckContext, joinProblems, lockedPaths, placeServerFaults } from "../problems";
import { inSchemaOrder, intentSchema, type ObjectNode } from "../schema";
import { baseOf } from "./candidate";
import { shapeOfSchema } from "./edit-plan";
import { type Base, currentFaults, type EditorAction, editorReducer, isDirty, movedOn, startEditing } from "./editor-state";
import { useCheck } from "./use-check";

export interface EditorInput {
  kind: KindInfo;
  /** The newest stored object when one is edited; absent for a new one. */
  current?: ApiObject;
  /** What a new object starts from. */
  start: JsonObject;
  /** Nothing is asked of the server: for reading only, or saved already. */
  idle: boolean;
}

/** The one document and everything derived from it. */
export function useEditor({ kind, current, start, idle }: EditorInput) {
  const purpose = current ? "edit" : "create";
  const schema = useMemo(() => intentSchema(kind, purpose), [kind, purpose]);
  const shape = useMemo(() => shapeOfSchema(kind.schema), [kind]);
  const newest = useMemo(() => (current ? readable(schema, baseOf(current)) : undefined), [schema, current]);
  const [state, dispatch] = useReducer(editorReducer, undefined, () => startEditing(newest?.intent ?? start, newest, "form"));
  const { text, base } = state;
  const dirty = isDirty(state);
  const behind = movedOn(base, newest);
  useFollowing({ newest, behind, dirty, text, base, dispatch });

  const context = useMemo<CheckContext>(
    () => ({ schema, secretFields: kind.secretFields, immutable: kind.immutable, ...(base ? { stored: base.intent } : {}) }),
    [schema, kind, base],
  );
  const parsed = useMemo(() => parseText(text), [text]);
  const value = useLastReadable(parsed, base?.intent ?? start);
  const ref = useMemo<ObjectRef>(
    () => ({ plural: kind.plural, ...namesOf(base?.intent ?? parsed.value) }),
    [kind.plural, base, parsed.value],
  );
  const check = useCheck(text, base, ref, context, !idle && (dirty || current === undefined));
  const problems = useMemo(
    () => joinProblems(check.problems, placeServerFaults(parsed, currentFaults(state))),
    [check.problems, parsed, state],
  );
  const textRef = useRef(text);
  useEffect(() => {
    textRef.current = text;
  }, [text]);
  const edit = useCallback((change: (text: string) => string) => {
    textRef.current = change(textRef.current);
    dispatch({ type: "edited", text: textRef.current });
  }, []);
  const locked = useMemo(() => (current ? lockedPaths(kind.immutable) : []), [current, kind]);
  return {
    state,
    dispatch,
    dirty,
    behind: behind ? newest : undefined,
    newest,
    schema,
    shape,
    context,
    parsed,
    value,
    ref,
    check,
    problems,
    edit,
    locked,
    purpose,
  };
}

export type Editor = ReturnType<typeof useEditor>;

/** The store knows no order of fields; people read them in the schema's. */
function readable(schema: ObjectNode, base: Base): Base {
  return { ...base, intent: inSchemaOrder(schema, base.intent) };
}

interface Following extends Pick<ReturnType<typeof startEditing>, "text" | "base"> {
  newest: ReturnType<typeof baseOf> | undefined;
  behind: boolean;
  dirty: boolean;
  dispatch: Dispatch<EditorAction>;
}

/** A report that moves the version is followed silently; so is another's edit while there is no work here that it could touch. */
function useFollowing({ newest, behind, dirty, text, base, dispatch }: Following): void {
  useEffect(() => {
    if (!newest || newest.resourceVersion === base?.resourceVersion) return;
    if (!behind) dispatch({ type: "rebased", base: newest, text });
    else if (!dirty) dispatch({ type: "rebased", base: newest, text: intentText(newest.intent) });
  }, [newest, behind, dirty, text, base, dispatch]);
}

/** The newest value that could be read: the form keeps showing it while the YAML is in pieces. */
function useLastReadable(parsed: ParsedText, fallback: ReturnType<typeof baseOf>["intent"]) {
  const [last, setLast] = useState(parsed.value ?? fallback);
  if (parsed.value !== undefined && parsed.value !== last) setLast(parsed.value);
  return parsed.value ?? last;
}
