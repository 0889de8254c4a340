"use client";

import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import type { UserEntry } from "@/lib/api/contract";
import { asApiError, useChangeUser } from "@/lib/client";
import { FormDialog } from "./form-dialog";
import { wordsOf } from "./words";

interface GroupsDialogProps {
  user: UserEntry;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The groups of an account, which bindings may name. */
export function GroupsDialog({ user, open, onOpenChange }: GroupsDialogProps) {
  const write = useChangeUser();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (text: (name: string) => string) => {
    const onSuccess = () => {
      toast("ok", { title: `Groups of ${user.email} set` });
      close(false);
    };
    write.mutate({ id: user.id, groups: wordsOf(text("groups")) }, { onSuccess });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <FormDialog
      open={open}
      onOpenChange={close}
      title={`Groups of ${user.email}`}
      submitLabel="Set groups"
      busy={write.isPending}
      error={error}
      onSubmit={submit}
    >
      <Field
        label="Groups"
        optional
        hint="Separated by commas. Roles can be bound to a group."
        error={error?.causes.find(({ field }) => field.startsWith("groups"))?.message}
      >
        {(control) => <Input {...control} name="groups" autoComplete="off" defaultValue={user.groups.join(", ")} />}
      </Field>
    </FormDialog>
  );
}
