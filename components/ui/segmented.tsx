"use client";

import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface SegmentedProps<Value extends string> {
  /** The accessible name of the choice. */
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  options: readonly { value: Value; label: ReactNode; title?: string }[];
  className?: string;
}

/** One of a few, all in view. */
export function Segmented<Value extends string>({ label, value, onValueChange, options, className }: SegmentedProps<Value>) {
  const choose = (next: readonly string[]) => {
    const chosen = options.find((option) => option.value === next[0]);
    if (chosen && chosen.value !== value) onValueChange(chosen.value);
  };
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={choose}
      className={cn("inline-flex h-8 items-center rounded-md border border-line-strong bg-sunken p-0.5", className)}
    >
      {options.map((option) => (
        <Toggle
          key={option.value}
          value={option.value}
          title={option.title}
          aria-label={option.title}
          className="inline-flex h-full min-w-8 items-center justify-center gap-1 rounded px-2 font-medium text-muted text-xs hover:text-fg data-pressed:bg-raised data-pressed:text-fg data-pressed:ring-1 data-pressed:ring-line-strong [&_svg]:size-4"
        >
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
