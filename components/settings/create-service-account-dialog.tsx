"use client";

import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import { asApiError, useCreateServiceAccount } from "@/lib/client";
import { faultOf } from "./fault";
import { FormDialog } from "./form-dialog";

export function CreateServiceAccountDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const write = useCreateServiceAccount();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (text: (name: string) => string) => {
    const account = { namespace: text("namespace").trim(), name: text("name").trim() };
    const onSuccess = () => {
      toast("ok", { title: `Added ${account.namespace}/${account.name}`, description: "Bind a role to it, then give it a token." });
      close(false);
    };
    write.mutate(account, { onSuccess });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <FormDialog
      open={open}
      onOpenChange={close}
      title="Add service account"
      submitLabel="Add service account"
      busy={write.isPending}
      error={error}
      onSubmit={submit}
    >
      <Field label="Namespace" hint="Where it belongs; what it may is bound to it." error={faultOf(error, "namespace")}>
        {(control) => <Input {...control} name="namespace" autoComplete="off" defaultValue="default" required />}
      </Field>
      <Field label="Name" error={faultOf(error, "name")}>
        {(control) => <Input {...control} name="name" autoComplete="off" required />}
      </Field>
    </FormDialog>
  );
}
