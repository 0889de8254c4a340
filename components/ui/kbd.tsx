import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function Kbd({ className, ...rest }: ComponentProps<"kbd">) {
  return (
    <kbd
      className={cn(
        "inline-flex h-5 min-w-5 items-center justify-center rounded border border-line-strong bg-sunken px-1 font-medium font-sans text-2xs text-muted",
        className,
      )}
      {...rest}
    />
  );
}
