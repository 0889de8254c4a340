"use client";

import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { cn } from "./class-names";

export interface PopoverProps {
  trigger: ReactElement;
  children: ReactNode;
  /** The accessible name of the popup. */
  label: string;
  align?: "start" | "center" | "end";
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
}

export function Popover({ trigger, children, label, align = "start", open, onOpenChange, className }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange ? (next) => onOpenChange(next) : undefined}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup
            aria-label={label}
            className={cn(
              "max-h-[min(28rem,80dvh)] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-raised p-3 text-fg shadow-float outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0",
              className,
            )}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
