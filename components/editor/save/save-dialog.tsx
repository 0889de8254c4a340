"use client";

import { useId, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { asApiError } from "@/lib/client";
import type { EditPlan } from "@/lib/ownership";
import { PreviewPanel, type PreviewPanelProps } from "../preview";
import type { Wish } from "../state";
import { TakeOver } from "./take-over";

export interface SaveDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  creating: boolean;
  /** Offered as the message, to be said better. */
  suggestion: string;
  preview: PreviewPanelProps;
  saving: boolean;
  error: unknown;
  /** Fields that others apply again and that are changed here. */
  standing: EditPlan["standing"];
  onSave: (wish: Wish) => void;
}

/** The last step: what it will do, once more, and why it is done. */
export function SaveDialog({ open, onOpenChange, title, creating, suggestion, preview, saving, error, standing, onSave }: SaveDialogProps) {
  const [message, setMessage] = useState(suggestion);
  const [asked, setAsked] = useState(false);
  const [takeOver, setTakeOver] = useState(false);
  const form = useId();
  const first = useRef<HTMLInputElement>(null);
  const missing = message.trim() === "";
  const ready = preview.current && !preview.pending && (standing.length === 0 || takeOver);
  const save = () => {
    setAsked(true);
    if (!missing && ready) onSave({ message: message.trim(), takeOver });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size="md"
      initialFocus={first}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Back to editing</Button>
          <Button variant="primary" type="submit" form={form} busy={saving} disabled={!ready}>
            {creating ? "Create" : "Save"}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field
          label="Message"
          hint="Kept with the revision: why this change."
          error={asked && missing ? "Say why, for whoever reads the history." : undefined}
        >
          {(control) => (
            <Input
              {...control}
              ref={first}
              value={message}
              maxLength={500}
              autoComplete="off"
              onChange={(event) => setMessage(event.target.value)}
            />
          )}
        </Field>
        {standing.length > 0 ? <TakeOver standing={standing} checked={takeOver} onChange={setTakeOver} /> : null}
        {error && !saving ? (
          <Callout tone="bad" role="alert" title="It was not saved">
            {asApiError(error).message} {asApiError(error).advice}
          </Callout>
        ) : null}
        <PreviewPanel {...preview} />
      </form>
    </Dialog>
  );
}
