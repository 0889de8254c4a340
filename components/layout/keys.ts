/** One shortcut: `keys` are separated by blanks ("g o" is g, then o). */
export interface Shortcut {
  keys: string;
  /** What it does, for the list behind `?`. */
  label: string;
  run: () => void;
}

export type Match = { kind: "run"; shortcut: Shortcut } | { kind: "wait"; pressed: string[] } | { kind: "none" };

/** How long after one key the next one of a sequence is waited for. */
export const SEQUENCE_MS = 1200;

/** What a key means after those pressed before it. The newest of two shortcuts with the same keys wins. */
export function matchKeys(before: readonly string[], key: string, shortcuts: readonly Shortcut[]): Match {
  const pressed = [...before, key];
  const text = pressed.join(" ");
  const shortcut = shortcuts.findLast((candidate) => candidate.keys === text);
  if (shortcut) return { kind: "run", shortcut };
  if (shortcuts.some((candidate) => candidate.keys.startsWith(`${text} `))) return { kind: "wait", pressed };
  // A sequence that led nowhere does not swallow the key: it may begin another one.
  return before.length > 0 ? matchKeys([], key, shortcuts) : { kind: "none" };
}
