"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { IconButton } from "./button";
import { cn } from "./class-names";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** Where focus goes first; default is the first control. */
  initialFocus?: Base.Popup.Props["initialFocus"];
}

const WIDTH = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-4xl" };

/** A modal dialog: traps focus, closes with Escape, gives focus back. On phones it fills the lower part of the screen. */
export function Dialog({ open, onOpenChange, title, description, children, footer, size = "md", initialFocus }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-50 bg-(--backdrop) transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-50 flex items-end justify-center sm:items-center sm:p-6">
          <Base.Popup
            initialFocus={initialFocus}
            className={cn(
              "relative flex max-h-[92dvh] w-full flex-col rounded-t-xl border border-line bg-raised text-fg shadow-float outline-none transition-[opacity,transform] duration-150 data-ending-style:translate-y-2 data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0 sm:rounded-xl",
              WIDTH[size],
            )}
          >
            <header className="px-5 pt-4 pr-14 pb-3">
              <div className="min-w-0 flex-1">
                <Base.Title className="font-semibold text-base text-fg">{title}</Base.Title>
                {description ? <Base.Description className="mt-1 text-muted">{description}</Base.Description> : null}
              </div>
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto px-5 py-1">{children}</div>
            {footer ? <DialogFooter>{footer}</DialogFooter> : <div className="h-4" />}
            {/* Last in order, so that focus begins where the work is. */}
            <Base.Close
              render={
                <IconButton label="Close" size="sm" className="absolute top-4 right-4">
                  <X aria-hidden />
                </IconButton>
              }
            />
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** The row of buttons of a dialog; inside a form it may hold the submit button. */
export function DialogFooter({ className, ...rest }: ComponentProps<"footer">) {
  return <footer className={cn("flex flex-wrap items-center justify-end gap-2 px-5 pt-3 pb-4", className)} {...rest} />;
}
