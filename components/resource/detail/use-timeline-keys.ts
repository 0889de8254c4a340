"use client";

import { useShortcut } from "@/components/layout/shortcuts";

/** `j` and `k` walk through what unfolds in the timeline; Enter unfolds it, as everywhere. */
export function useTimelineKeys(): void {
  useShortcut({ keys: "j", label: "Next entry of the timeline", run: () => move(1) });
  useShortcut({ keys: "k", label: "Previous entry of the timeline", run: () => move(-1) });
}

function move(step: 1 | -1): void {
  const entries = [...document.querySelectorAll<HTMLElement>("[data-timeline-item]")];
  const at = entries.findIndex((entry) => entry.matches(":focus"));
  const next = at < 0 ? (step > 0 ? 0 : entries.length - 1) : at + step;
  entries[Math.min(Math.max(next, 0), entries.length - 1)]?.focus();
}
