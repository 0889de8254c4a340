import { AbsoluteTime, RelativeTime } from "@/components/layout/time";
import { cutAtTimes } from "./sentence";

/** A sentence of the server with the instants in it shown relative, the exact ones behind them; an end ("until …") stays exact. */
export function TextWithTimes({ text }: { text: string }) {
  const parts = cutAtTimes(text);
  return parts.map((part, index) => {
    const before = parts[index - 1];
    const Time = before && "text" in before && before.text.endsWith("until ") ? AbsoluteTime : RelativeTime;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence have no other identity
    return "time" in part ? <Time key={index} at={part.time} /> : <span key={index}>{part.text}</span>;
  });
}
