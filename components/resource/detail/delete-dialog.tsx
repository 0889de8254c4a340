"use client";

import { useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import type { ApiObject } from "@/lib/api/contract";
import { type ObjectRef, useDelete } from "@/lib/client";
import { ActionFailed } from "../action-failed";

/** Deleting asks for the name, and says what becomes of the outside thing. */
export function DeleteDialog({ of, object, onClose }: { of: ObjectRef; object: ApiObject; onClose: () => void }) {
  const form = useId();
  const toast = useToast();
  const remove = useDelete(of);
  const [typed, setTyped] = useState("");
  const { name } = object.metadata;
  const orphan = object.control.deletionPolicy === "Orphan";
  const matches = typed === name;
  const send = () => {
    if (!matches) return;
    remove.mutate(undefined, {
      onSuccess: () => {
        toast("info", {
          title: `Deletion of ${name} was asked for`,
          description: orphan ? "What is outside stays." : "It leaves once nothing of it is outside any more.",
        });
        onClose();
      },
    });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={`Delete ${object.kind} ${name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" form={form} disabled={!matches} busy={remove.isPending}>
            Delete
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Callout tone={orphan ? "calm" : "warn"} title={`Deletion policy: ${object.control.deletionPolicy}`}>
          {orphan
            ? "What it made outside is left exactly as it is."
            : "What it made outside is removed, and only that; then the object leaves."}
          {object.view.state === "Paused" && !orphan ? " It is paused: nothing is removed until it is resumed." : ""}
        </Callout>
        <Field label={`Type “${name}” to confirm`}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <ActionFailed error={remove.error} />
      </form>
    </Dialog>
  );
}
