"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { asApiError, createObject, type ObjectRef, updateObject } from "@/lib/client";
import { parseText } from "../document";
import { type CheckContext, findProblems, joinProblems, type Problem, placeServerFaults, type ServerFault } from "../problems";
import { candidateOf } from "./candidate";
import type { Base } from "./editor-state";
import { useSettled } from "./use-settled";

/** A person types faster than this; checking after it feels live. */
const CHECK_MS = 250;
const SERVER_CHECK_MS = 600;

/** The faults in a refusal, by field where the server names fields. */
export function faultsOf(thrown: unknown): ServerFault[] {
  const error = asApiError(thrown);
  if (error.causes.length > 0) return error.causes.map(({ field, message }) => ({ field, message: plain(message) }));
  if (error.reason === "AlreadyExists") return [{ field: "metadata.name", message: "is taken: choose another name" }];
  return [{ message: error.message }];
}

/** The server words faults as Kubernetes does (`Invalid value: must be …`); beside the field, the first words say nothing. */
function plain(message: string): string {
  return message.replace(/^(Invalid|Required|Forbidden|Unsupported|Duplicate) ?(value)?: /, "");
}

/** Whether a refusal is about what was sent, so that only an edit can help. */
export function isAboutContent(thrown: unknown): boolean {
  const error = asApiError(thrown);
  return error.status === 400 || error.status === 413 || error.status === 422 || error.reason === "AlreadyExists";
}

interface Checked {
  problems: Problem[];
  /** The server has been asked about exactly this text and has nothing against it. */
  confirmed: boolean;
  /** The problems are those of this text. */
  settled: boolean;
}

/** Live problems of the text: the browser's at once, the server's (a dry run) when the browser finds none. */
export function useCheck(text: string, base: Base | undefined, ref: ObjectRef, context: CheckContext, enabled: boolean): Checked {
  const checkedText = useSettled(text, CHECK_MS);
  const own = useMemo(() => findProblems(parseText(checkedText), context), [checkedText, context]);
  const servedText = useSettled(text, SERVER_CHECK_MS);
  const draft = useMemo(
    () => (own.length === 0 && servedText === checkedText ? candidateOf(parseText(servedText).value, base) : undefined),
    [own, servedText, checkedText, base],
  );
  const answer = useQuery({
    queryKey: ["validation", ref.plural, ref.namespace, ref.name, base?.resourceVersion ?? "new", servedText],
    queryFn: async () => {
      if (!draft) return [];
      const address = { ...ref, name: draft.metadata.name, namespace: draft.metadata.namespace ?? ref.namespace };
      try {
        await (base ? updateObject(address, draft, { dryRun: true }) : createObject(address, draft, { dryRun: true }));
        return [];
      } catch (thrown) {
        // A newer version or a server that is away is not a fault of the text: saving deals with both.
        return isAboutContent(thrown) ? faultsOf(thrown) : [];
      }
    },
    enabled: enabled && draft !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    // What was typed may hold secrets: nothing of it stays behind.
    gcTime: 0,
  });
  const problems = useMemo(() => {
    const servers = answer.data && servedText === checkedText ? placeServerFaults(parseText(servedText), answer.data) : [];
    return joinProblems(own, servers);
  }, [own, answer.data, servedText, checkedText]);
  return { problems, confirmed: answer.isSuccess && servedText === text && problems.length === 0, settled: checkedText === text };
}
