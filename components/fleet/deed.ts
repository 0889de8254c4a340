import type { Overview } from "@/lib/api/contract";

/** The words of the audit, as a sentence about somebody. */
const WORDS: Record<string, string> = {
  create: "created",
  update: "changed",
  patch: "changed",
  delete: "deleted",
  control: "controlled",
  reconcile: "asked to look at",
  act: "acted on",
  apply: "acted on",
  orphan: "let go of",
  "pause kind": "paused every",
  "resume kind": "resumed every",
  "sign-in": "signed in",
  "create user": "added the account",
  "change user": "changed the account",
};

export interface Deed {
  who: string;
  did: string;
  /** What it was done to; absent when it was done to nothing but oneself. */
  what?: string;
  /** Whether that has a page. */
  linked: boolean;
}

/** An entry of the audit in words: "Controller acted on ReplicaSet web". */
export function deedOf({ actor, verb, kind, namespace, name }: Overview["recent"][number]): Deed {
  const who = actor.startsWith("controller/") ? "Controller" : actor;
  const did = WORDS[verb] ?? verb;
  if (verb === "sign-in" && (name === actor || name === "")) return { who, did, linked: false };
  const what = name === "" ? kind : kind === "User" ? name : `${kind} ${name}`;
  return { who, did, what, linked: namespace !== "" && name !== "" };
}
