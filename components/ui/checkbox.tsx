"use client";

import { type ComponentProps, useEffect, useRef } from "react";
import { cn } from "./class-names";

export interface CheckboxProps extends Omit<ComponentProps<"input">, "type" | "ref"> {
  /** Some but not all of what it stands for. */
  indeterminate?: boolean;
}

/** The platform's own checkbox; needs a label or an aria-label. Its target is 24 px although it looks smaller. */
export function Checkbox({ indeterminate = false, className, ...rest }: CheckboxProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = indeterminate;
  }, [indeterminate]);
  return (
    <input ref={ref} type="checkbox" className={cn("m-1 size-4 shrink-0 cursor-pointer rounded accent-accent", className)} {...rest} />
  );
}
