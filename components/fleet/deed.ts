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
};

/** The same about accounts. */
const ACCOUNT_WORDS: Record<string, string> = {
  "sign-in": "signed in",
  create: "added the account",
  update: "changed an account",
  patch: "changed an account",
};

/** The audit knows an account that was changed by its id, which means nothing to people. */
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

export interface Deed {
  who: string;
  did: string;
  /** What it was done to; absent when it was done to nothing but oneself. */
  what?: string;
  /** Whether that has a page. */
  linked: boolean;
}

/** An entry of the audit in words: "Controller acted on ReplicaSet web". */
export function deedOf({ actor, verb, kind, namespace, name, outcome }: Overview["recent"][number]): Deed {
  if (verb === "sign-in" && outcome === "denied")
    return { who: "Somebody", did: "could not sign in as", what: name || "nobody known", linked: false };
  const who = actor.startsWith("controller/") ? "Controller" : actor;
  const did = kind === "User" ? (ACCOUNT_WORDS[verb] ?? verb) : (WORDS[verb] ?? verb);
  if (verb === "sign-in") return { who, did, linked: false };
  if (kind === "User") return { who, did, what: ID.test(name) ? undefined : name, linked: false };
  const what = name === "" ? kind : `${kind} ${name}`;
  return { who, did, what, linked: namespace !== "" && name !== "" };
}
