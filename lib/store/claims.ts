/** What both adapters say of a claim that is taken. */
import { SetpointError } from "@/lib/errors";
import { type Key, keyText } from "@/lib/resource";
import type { Claim } from ".";

export interface TakenClaim extends Claim {
  holder: Key;
}

/** `Kind namespace/name`, as messages name an object. */
export function keyWords({ kind, namespace, name }: Key): string {
  return `${kind} ${namespace}/${name}`;
}

/**
 * The refusal of a second claimant. AlreadyExists, and not Conflict: clients repeat a write that met a Conflict on the newest version,
 * which cannot help here. `mayName` says of whom the caller may learn.
 */
export class ClaimTaken extends SetpointError {
  constructor(
    readonly taken: readonly TakenClaim[],
    mayName: (holder: Key) => boolean = () => true,
  ) {
    const facts = taken.map(({ text, field, holder }) => ({ text, field, whose: mayName(holder) ? keyWords(holder) : "another object" }));
    const words = facts.map(({ text, field, whose }) => `${field}: ${text} belongs to ${whose} already`);
    super(
      "AlreadyExists",
      words.length === 0
        ? "what it claims belonged to another object a moment ago: try again"
        : `${words.join("; ")}; choose another, or delete that one first`,
      {
        causes: facts.map(({ text, field, whose }) => ({
          reason: "FieldValueDuplicate",
          field,
          message: `Duplicate value: ${text} belongs to ${whose}`,
        })),
      },
    );
  }

  /** The same refusal for a caller who may not learn of every holder. */
  toldTo(mayName: (holder: Key) => boolean): ClaimTaken {
    return new ClaimTaken(this.taken, mayName);
  }
}

/** True when both mean the same object. */
export const sameKey = (a: Key, b: Key): boolean => keyText(a) === keyText(b);
