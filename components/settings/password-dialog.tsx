"use client";

import { type FormEvent, useId } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import type { UserEntry } from "@/lib/api/contract";
import { asApiError, useChangeUser } from "@/lib/client";
import { faultOf } from "./fault";
import { SHORTEST_PASSWORD } from "./roles";

interface PasswordDialogProps {
  user: UserEntry;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function PasswordDialog({ user, open, onOpenChange }: PasswordDialogProps) {
  const form = useId();
  const write = useChangeUser();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get("password") ?? "");
    write.mutate(
      { id: user.id, password },
      {
        onSuccess: () => {
          toast("ok", { title: `New password set for ${user.email}`, description: "Their open sessions have ended." });
          close(false);
        },
      },
    );
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={`New password for ${user.email}`}
      size="sm"
      footer={
        <>
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={write.isPending}>
            Set password
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
        <Field label="New password" hint={`At least ${SHORTEST_PASSWORD} characters.`} error={faultOf(error, "password")}>
          {(control) => (
            <Input {...control} name="password" type="password" autoComplete="new-password" minLength={SHORTEST_PASSWORD} required />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
