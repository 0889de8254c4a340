"use client";

import { Pause, Play } from "lucide-react";
import { useId, useState } from "react";
import { useRefusal } from "@/components/layout/me";
import { PauseForm } from "@/components/resource/pause-form";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { useToast } from "@/components/ui/toast";
import type { ControllerRow } from "@/lib/api/contract";
import { asApiError, useKindPause } from "@/lib/client";

/** Pauses or resumes every resource of a kind. */
export function KindPauseButton({ row }: { row: ControllerRow }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("administer");
  const write = useKindPause(row.kind);
  const toast = useToast();
  const name = `all ${row.kind} resources`;

  const resume = () =>
    write.mutate(null, {
      onSuccess: () => toast("ok", { title: `Resumed ${name}` }),
      onError: (error) => toast("bad", { title: `Could not resume ${name}`, description: error.message }),
    });

  if (row.paused) {
    return (
      <Button
        size="sm"
        onClick={resume}
        busy={write.isPending}
        disabled={refusal !== undefined}
        title={refusal}
        aria-label={`Resume ${name}`}
      >
        <Play aria-hidden />
        Resume
      </Button>
    );
  }
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)} disabled={refusal !== undefined} title={refusal} aria-label={`Pause ${name}`}>
        <Pause aria-hidden />
        Pause
      </Button>
      <KindPauseDialog row={row} write={write} open={open} onOpenChange={setOpen} />
    </>
  );
}

interface KindPauseDialogProps {
  row: ControllerRow;
  write: ReturnType<typeof useKindPause>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function KindPauseDialog({ row, write, open, onOpenChange }: KindPauseDialogProps) {
  const form = useId();
  const toast = useToast();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Pause every ${row.kind}`}
      description={`${row.resources.toLocaleString("en")} ${row.resources === 1 ? "resource" : "resources"}, and those created later. They are still looked at and never acted on.`}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={write.isPending}>
            Pause {row.kind}
          </Button>
        </>
      }
    >
      {write.error ? (
        <Callout tone="bad" role="alert" className="mb-3">
          {asApiError(write.error).message}
        </Callout>
      ) : null}
      <PauseForm
        id={form}
        onPause={(wish) =>
          write.mutate(wish, {
            onSuccess: () => {
              onOpenChange(false);
              toast("ok", { title: `Paused every ${row.kind}`, description: wish.reason });
            },
          })
        }
      />
    </Dialog>
  );
}
