"use client";

import { useEffect, useState } from "react";
import { systemClock } from "@/lib/clock";

/** The value once it has stood still for a moment, so that typing asks the server once and not per key. */
export function useDebounced<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => systemClock.after(delayMs, () => setSettled(value)), [value, delayMs]);
  return settled;
}
