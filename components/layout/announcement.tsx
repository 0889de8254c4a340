"use client";

import { useEffect, useRef, useState } from "react";
import { systemClock } from "@/lib/clock";

const QUIET_MS = 5000;

/** Reads a summary out when it changes, at most every five seconds; what a page begins with is not read out. */
export function Announcement({ text }: { text: string }) {
  const first = useRef(text);
  const lastAt = useRef(0);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (text === first.current && said === "") return undefined;
    const wait = Math.max(0, lastAt.current + QUIET_MS - systemClock.monotonic());
    return systemClock.after(wait, () => {
      lastAt.current = systemClock.monotonic();
      setSaid(text);
    });
  }, [text, said]);
  return (
    <span role="status" className="sr-only">
      {said}
    </span>
  );
}
