/** What both adapters say of a claim that is taken. */
import { SetpointError } from "@/lib/errors";
import type { Key } from "@/lib/resource";
import type { Claim } from ".";

export interface TakenClaim extends Claim {
  holder: Key;
}

/** `Kind namespace/name`, as every message names an object. */
export function keyWords({ kind, namespace, name }: Key): string {
  return `${kind} ${namespace}/${name}`;
}

/**
 * The refusal of a second claimant. AlreadyExists, and not Conflict: clients repeat a write that met a Conflict on the newest version,
 * which cannot help here.
 */
export function takenError(taken: readonly TakenClaim[]): SetpointError {
  const causes = taken.map(({ text, field, holder }) => ({
    reason: "FieldValueDuplicate" as const,
    field,
    message: `Duplicate value: ${text} belongs to ${keyWords(holder)}`,
  }));
  const words = taken.map(({ text, field, holder }) => `${field}: ${text} belongs to ${keyWords(holder)} already`);
  const what = words.length === 0 ? "what it claims belonged to another object a moment ago: try again" : words.join("; ");
  return new SetpointError("AlreadyExists", `${what}${words.length === 0 ? "" : "; choose another, or delete that one first"}`, { causes });
}
