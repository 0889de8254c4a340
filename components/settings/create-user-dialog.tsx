"use client";

import { Field } from "@/components/ui/field";
import { Input, Select } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import { asApiError, useCreateUser } from "@/lib/client";
import { faultOf } from "./fault";
import { FormDialog, PasswordField } from "./form-dialog";
import { ROLE_MEANING, ROLES, roleOf } from "./roles";

export function CreateUserDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const write = useCreateUser();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (text: (name: string) => string) => {
    const body = { email: text("email").trim(), name: text("name").trim(), role: roleOf(text("role")), password: text("password") };
    const onSuccess = () => {
      toast("ok", { title: `Added ${body.email}`, description: "Tell them the password in person; they sign in with it." });
      close(false);
    };
    write.mutate(body, { onSuccess });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <FormDialog
      open={open}
      onOpenChange={close}
      title="Add user"
      submitLabel="Add user"
      busy={write.isPending}
      error={error}
      onSubmit={submit}
    >
      <Field label="E-mail address" error={faultOf(error, "email")}>
        {(control) => <Input {...control} name="email" type="email" autoComplete="off" required />}
      </Field>
      <Field label="Name" error={faultOf(error, "name")}>
        {(control) => <Input {...control} name="name" autoComplete="off" required />}
      </Field>
      <Field label="Role" error={faultOf(error, "role")}>
        {(control) => (
          <Select {...control} name="role" defaultValue="viewer">
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {role}: {ROLE_MEANING[role]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <PasswordField label="Password" error={error} />
    </FormDialog>
  );
}
