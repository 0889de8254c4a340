"use client";

import { useToast } from "@/components/ui/toast";
import type { UserEntry } from "@/lib/api/contract";
import { asApiError, useChangeUser } from "@/lib/client";
import { FormDialog, PasswordField } from "./form-dialog";

interface PasswordDialogProps {
  user: UserEntry;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function PasswordDialog({ user, open, onOpenChange }: PasswordDialogProps) {
  const write = useChangeUser();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (text: (name: string) => string) => {
    const onSuccess = () => {
      toast("ok", { title: `New password set for ${user.email}`, description: "Their open sessions have ended." });
      close(false);
    };
    write.mutate({ id: user.id, password: text("password") }, { onSuccess });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <FormDialog
      open={open}
      onOpenChange={close}
      title={`New password for ${user.email}`}
      submitLabel="Set password"
      busy={write.isPending}
      error={error}
      onSubmit={submit}
    >
      <PasswordField label="New password" error={error} />
    </FormDialog>
  );
}
