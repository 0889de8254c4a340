"use client";

import { useId } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { useToast } from "@/components/ui/toast";
import type { ApiObject } from "@/lib/api/contract";
import { type ObjectRef, useControl } from "@/lib/client";
import { ActionFailed } from "../action-failed";
import { PauseForm } from "../pause-form";

export function PauseDialog({ of, object, onClose }: { of: ObjectRef; object: ApiObject; onClose: () => void }) {
  const form = useId();
  const toast = useToast();
  const control = useControl(of);
  const { name } = object.metadata;
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={`Pause ${name}`}
      description="It is still looked at, and never acted on. Drift stays visible."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} busy={control.isPending}>
            Pause
          </Button>
        </>
      }
    >
      <PauseForm
        id={form}
        onPause={(paused) =>
          control.mutate(
            { paused },
            {
              onSuccess: () => {
                toast("ok", {
                  title: `Paused ${name}`,
                  description: paused.until ? "It resumes by itself." : "It stays paused until somebody resumes it.",
                  action: { label: "Undo", onClick: () => control.mutate({ paused: null }) },
                });
                onClose();
              },
            },
          )
        }
      />
      <ActionFailed error={control.error} />
    </Dialog>
  );
}
