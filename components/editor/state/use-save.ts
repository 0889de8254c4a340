"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiObject } from "@/lib/api/contract";
import {
  applyObject,
  createObject,
  type Draft,
  isConflict,
  type ObjectRef,
  previewPlan,
  queries,
  queryKeys,
  type SaveOptions,
  updateObject,
} from "@/lib/client";
import { type EditPlan, pathText, type Shape } from "@/lib/ownership";
import type { JsonObject } from "@/lib/resource";
import { namesOf, parseText } from "../document";
import { asObject } from "../schema";
import { baseOf, candidateOf } from "./candidate";
import { editPlan } from "./edit-plan";
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

/** Fields of somebody who applies them again would change, and nobody said that they are to be taken over. */
class StandsBehind extends Error {
  constructor(standing: EditPlan["standing"]) {
    const whose = standing.map(({ manager, path }) => `${pathText(path).slice(1)} is applied by ${manager.manager}`);
    super(`Nothing was saved: ${whose.join("; ")}.`);
  }
}

/** Dry run and save. Neither ever writes over an intent that this edit has not seen. */
export function useSave(editor: Editor, onSaved: (saved: ApiObject) => void) {
  const { state, dispatch, ref, newest, shape } = editor;
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
    mutationFn: async ({ text, base, message, takeOver }: Pick<typeof state, "text" | "base"> & Wish) => {
      // The base of a restored draft knows no owners; at the same version they are those of the newest.
      const on = base?.resourceVersion === newest?.resourceVersion ? newest : base;
      if (on) return await onNewest(text, on, load, (draft, under) => saveEdit({ ref, draft, under, shape }, { message, takeOver }));
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

/** What the last step adds to the document. */
export interface Wish {
  message: string;
  /** Fields that others apply are taken over. */
  takeOver: boolean;
}

interface Edit {
  ref: ObjectRef;
  draft: Draft;
  under: Base;
  shape: Shape;
}

/**
 * Applies what was changed, under the form's name and on exactly the version that was seen. What an apply cannot say, an item of
 * another's taken out of a list, is said by the whole object.
 */
function saveEdit({ ref, draft, under, shape }: Edit, { message, takeOver }: Wish): Promise<ApiObject> {
  const document: JsonObject = JSON.parse(JSON.stringify(draft));
  const { statement, standing, contested } = editPlan(under, document, shape);
  if (standing.length > 0 && !takeOver) throw new StandsBehind(standing);
  const options: SaveOptions = { message };
  if (!statement) return updateObject(ref, draft, options);
  const { name, namespace, resourceVersion } = draft.metadata;
  const identity = { name, namespace: namespace ?? ref.namespace, resourceVersion: resourceVersion ?? under.resourceVersion };
  const metadata = { ...asObject(statement.metadata), ...identity, ...(under.uid === undefined ? {} : { uid: under.uid }) };
  const { apiVersion, kind } = draft;
  return applyObject(ref, { ...statement, apiVersion, kind, metadata }, { ...options, force: contested });
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
async function onNewest<T>(
  text: string,
  base: Base,
  load: () => Promise<ApiObject>,
  send: (draft: Draft, on: Base) => Promise<T>,
): Promise<T> {
  let on = base;
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(draftOf(text, on), on);
    } catch (thrown) {
      if (!isConflict(thrown) || attempt === RETRIES) throw thrown;
      const newest = baseOf(await load());
      if (movedOn(base, newest)) throw new NewerIntent(newest);
      on = newest;
    }
  }
}
