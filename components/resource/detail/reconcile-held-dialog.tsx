"use client";

import { Button, LinkButton } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { useToast } from "@/components/ui/toast";
import type { ApiObject } from "@/lib/api/contract";
import { type ObjectRef, useControl, useReconcile } from "@/lib/client";
import { ActionFailed } from "../action-failed";
import { TextWithTimes } from "../text-with-times";

interface ReconcileHeldDialogProps {
  of: ObjectRef;
  object: ApiObject;
  /** The object itself is paused; else its whole kind is. */
  paused: boolean;
  onClose: () => void;
}

/** Reconciling what is paused would do nothing: it is refused, and the way to do it is offered. */
export function ReconcileHeldDialog({ of, object, paused, onClose }: ReconcileHeldDialogProps) {
  const toast = useToast();
  const control = useControl(of);
  const reconcile = useReconcile(of);
  const { name } = object.metadata;
  const both = async () => {
    await control.mutateAsync({ paused: null });
    const answer = await reconcile.mutateAsync(undefined);
    toast("info", { title: `Resumed ${name} and asked for a look`, description: answer.message });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      size="sm"
      title={`${name} is paused`}
      description={<TextWithTimes text={object.view.notActing ?? object.view.message} />}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {paused ? (
            // What failed is shown below; the promise itself has nobody else to tell.
            <Button variant="primary" busy={control.isPending || reconcile.isPending} onClick={() => void both().catch(() => undefined)}>
              Resume &amp; reconcile
            </Button>
          ) : (
            <LinkButton variant="primary" href="/controllers">
              Go to Controllers
            </LinkButton>
          )}
        </>
      }
    >
      <p>
        {paused
          ? "While it is paused a reconcile would change nothing. Resume it, and it is reconciled at once."
          : `Every ${object.kind} is paused. An administrator can resume the kind on the Controllers page.`}
      </p>
      <ActionFailed error={control.error ?? reconcile.error} />
    </Dialog>
  );
}
