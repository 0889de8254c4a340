"use client";

import { type FormEvent, type ReactNode, useId } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import type { ApiError } from "@/lib/client";
import { faultOf } from "./fault";
import { SHORTEST_PASSWORD } from "./roles";

interface FormDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What the button that sends it says. */
  submitLabel: string;
  busy: boolean;
  error?: ApiError;
  /** Given the text of a field by its name. */
  onSubmit: (text: (name: string) => string) => void;
  children: ReactNode;
}

/** A dialog that is one form: its error on top, fields, and two buttons. */
export function FormDialog({ open, onOpenChange, title, submitLabel, busy, error, onSubmit, children }: FormDialogProps) {
  const form = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    onSubmit((name) => String(data.get(name) ?? ""));
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={busy}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-3">
        {error ? (
          <Callout tone="bad" role="alert">
            {error.message}
          </Callout>
        ) : null}
        {children}
      </form>
    </Dialog>
  );
}

/** A password to be chosen; the form's field `password`. */
export function PasswordField({ label, error }: { label: string; error?: ApiError }) {
  return (
    <Field label={label} hint={`At least ${SHORTEST_PASSWORD} characters.`} error={faultOf(error, "password")}>
      {(control) => (
        <Input {...control} name="password" type="password" autoComplete="new-password" minLength={SHORTEST_PASSWORD} required />
      )}
    </Field>
  );
}
