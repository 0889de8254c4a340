/** Longest text of an event or pass: the event index must hold it, and a page shows no more. */
const LONGEST_MESSAGE = 600;

/** A message as it is kept in the history, whatever the store. */
export function shorten(text: string): string {
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE - 1)}…`;
}
