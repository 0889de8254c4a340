"use client";

import { Switch as Base } from "@base-ui/react/switch";
import { cn } from "./class-names";

/** On or off at once, no saving. Needs a label that wraps it, or an aria-label. */
export function Switch({ className, ...rest }: Base.Root.Props & { className?: string }) {
  return (
    <Base.Root
      className={cn(
        "inline-flex h-6 w-10 shrink-0 items-center rounded-full border border-control bg-sunken p-0.5 transition-colors data-checked:border-transparent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-55",
        className,
      )}
      {...rest}
    >
      <Base.Thumb className="size-4 rounded-full bg-control transition-transform data-checked:translate-x-4 data-checked:bg-surface" />
    </Base.Root>
  );
}
