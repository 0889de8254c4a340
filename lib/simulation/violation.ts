/** The invariants of the design by number; what a run breaks is named by one of them. */
export const INVARIANTS = {
  I1: "no lost intent",
  I2: "no duplicate",
  I3: "no write after lease loss",
  I4: "no older intent over newer",
  I5: "every failure explains itself",
  I6: "silence at rest",
  I7: "bounded retries",
  I8: "deletion orphans nothing",
  I9: "pause stops writes",
  I11: "the audit is complete",
  I12: "tenants are apart",
  I13: "secrets stay in",
  I14: "nobody starves",
  I16: "no act on a stale look",
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** A promise that this run broke. */
export interface Violation {
  invariant: Invariant;
  message: string;
  /** Name of the object, for the story. */
  subject: string;
  /** Virtual milliseconds. */
  at: number;
}
