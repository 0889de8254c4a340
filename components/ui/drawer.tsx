"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./button";
import { cn } from "./class-names";

export interface DrawerProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  children: ReactNode;
  side?: "left" | "right";
  className?: string;
}

/** A panel from the edge of the screen, modal like a dialog. */
export function Drawer({ open, onOpenChange, title, children, side = "right", className }: DrawerProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-50 bg-(--backdrop) transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          className={cn(
            "fixed inset-y-0 z-50 flex w-[min(26rem,100vw-2.5rem)] flex-col border-line bg-raised text-fg shadow-float outline-none transition-transform duration-200 ease-out",
            side === "left"
              ? "left-0 border-r data-ending-style:-translate-x-full data-starting-style:-translate-x-full"
              : "right-0 border-l data-ending-style:translate-x-full data-starting-style:translate-x-full",
            className,
          )}
        >
          <header className="flex h-14 shrink-0 items-center gap-3 border-line border-b px-4">
            <Base.Title className="min-w-0 flex-1 truncate font-semibold text-sm">{title}</Base.Title>
            <Base.Close
              render={
                <IconButton label="Close" size="sm">
                  <X aria-hidden />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
