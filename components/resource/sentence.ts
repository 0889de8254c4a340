/** A sentence cut at the ISO times in it, so that each can be shown relative, with the exact instant behind it. */
export type SentencePart = { text: string } | { time: string };

const ISO_TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/** Sentences of the server name instants in ISO; people read "in 12 s". Joining the parts gives the sentence back. */
export function cutAtTimes(sentence: string): SentencePart[] {
  const parts: SentencePart[] = [];
  let from = 0;
  for (const match of sentence.matchAll(ISO_TIME)) {
    if (match.index > from) parts.push({ text: sentence.slice(from, match.index) });
    parts.push({ time: match[0] });
    from = match.index + match[0].length;
  }
  if (from < sentence.length) parts.push({ text: sentence.slice(from) });
  return parts;
}
