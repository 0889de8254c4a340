"use client";

import { useEffect, useState } from "react";
import { systemClock } from "@/lib/clock";

/** The value once it has stood still for `delayMs`. */
export function useSettled<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => systemClock.after(delayMs, () => setSettled(value)), [value, delayMs]);
  return settled;
}
