"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiObject } from "@/lib/api/contract";
import { createObject, type Draft, isConflict, type ObjectRef, previewPlan, queries, queryKeys, updateObject } from "@/lib/client";
import { namesOf, parseText } from "../document";
import { baseOf, candidateOf } from "./candidate";
import { type Base, movedOn } from "./editor-state";
import { faultsOf, isAboutContent } from "./use-check";
import type { Editor } from "./use-editor";

/** Reports move a version without changing intent; so often in a row is enough for any report to calm down. */
const RETRIES = 5;

/** Somebody's newer intent is in the way: the caller merges. */
class NewerIntent extends Error {
  constructor(readonly newest: Base) {
    super("The object was edited meanwhile.");
  }
}

/** Dry run and save. Neither ever writes over an intent that this edit has not seen. */
export function useSave(editor: Editor, onSaved: (saved: ApiObject) => void) {
  const { state, dispatch, ref } = editor;
  const client = useQueryClient();
  const [conflict, setConflict] = useState<Base>();
  const refuse = (thrown: unknown, text: string) => {
    if (isAboutContent(thrown)) dispatch({ type: "refused", text, faults: faultsOf(thrown) });
    if (thrown instanceof NewerIntent) setConflict(thrown.newest);
  };
  const load = () => client.fetchQuery({ ...queries.object(ref), staleTime: 0 });
  const preview = useMutation({
    mutationFn: async ({ text, base }: Pick<typeof state, "text" | "base">) => {
      const ask = (draft: Draft) => previewPlan(addressOf(ref, draft), draft);
      const answer = await (base ? onNewest(text, base, load, ask) : ask(draftOf(text, undefined)));
      return { text, ...(base ? { base } : {}), answer };
    },
    onSuccess: (pinned) => dispatch({ type: "previewed", preview: pinned }),
    onError: (thrown, { text }) => refuse(thrown, text),
    gcTime: 0,
  });
  const save = useMutation({
    mutationFn: async ({ text, base, message }: Pick<typeof state, "text" | "base"> & { message: string }) => {
      if (base) return await onNewest(text, base, load, (draft) => updateObject(ref, draft, { message }));
      const draft = draftOf(text, undefined);
      return await createObject(addressOf(ref, draft), draft, { message });
    },
    onSuccess: (saved) => {
      for (const queryKey of [queryKeys.about(ref), queryKeys.resources(), queryKeys.overview()])
        void client.invalidateQueries({ queryKey });
      onSaved(saved);
    },
    onError: (thrown, { text }) => refuse(thrown, text),
    gcTime: 0,
  });
  return { preview, save, conflict, setConflict };
}

function draftOf(text: string, base: Base | undefined): Draft {
  const draft = candidateOf(parseText(text).value, base);
  if (!draft) throw new Error("The document is not complete.");
  return draft;
}

function addressOf(ref: ObjectRef, draft: Draft): ObjectRef {
  return { plural: ref.plural, ...namesOf({ metadata: { name: draft.metadata.name, namespace: draft.metadata.namespace ?? "default" } }) };
}

/** Sends the text on top of `base`; when only the report moved the version, on top of the newest one. */
async function onNewest<T>(text: string, base: Base, load: () => Promise<ApiObject>, send: (draft: Draft) => Promise<T>): Promise<T> {
  let on = base;
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(draftOf(text, on));
    } catch (thrown) {
      if (!isConflict(thrown) || attempt === RETRIES) throw thrown;
      const newest = baseOf(await load());
      if (movedOn(base, newest)) throw new NewerIntent(newest);
      on = newest;
    }
  }
}
