"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import type { ApiError } from "@/lib/client";

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What the button that does it says. */
  confirmLabel: string;
  busy: boolean;
  error?: ApiError;
  onConfirm: () => void;
  children: ReactNode;
}

/** Asks once more before something ends for good. */
export function ConfirmDialog({ open, onOpenChange, title, confirmLabel, busy, error, onConfirm, children }: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button variant="danger" busy={busy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {error ? (
          <Callout tone="bad" role="alert">
            {error.message}
          </Callout>
        ) : null}
        <p>{children}</p>
      </div>
    </Dialog>
  );
}
