import { RelativeTime } from "@/components/layout/time";
import { cutAtTimes } from "./sentence";

/** A sentence of the server with the instants in it shown relative, the exact ones behind them. */
export function TextWithTimes({ text }: { text: string }) {
  return cutAtTimes(text).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence have no other identity
    "time" in part ? <RelativeTime key={index} at={part.time} /> : <span key={index}>{part.text}</span>,
  );
}
