"use client";

import { type FormEvent, useId } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input, Select } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import { asApiError, useCreateUser } from "@/lib/client";
import { faultOf } from "./fault";
import { ROLE_MEANING, ROLES, roleOf, SHORTEST_PASSWORD } from "./roles";

export function CreateUserDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const form = useId();
  const write = useCreateUser();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? "");
    const body = { email: text("email").trim(), name: text("name").trim(), role: roleOf(text("role")), password: text("password") };
    write.mutate(body, {
      onSuccess: () => {
        toast("ok", { title: `Added ${body.email}`, description: "Tell them the password in person; they sign in with it." });
        close(false);
      },
    });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="Add user"
      size="sm"
      footer={
        <>
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={write.isPending}>
            Add user
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
        <Field label="Password" hint={`At least ${SHORTEST_PASSWORD} characters.`} error={faultOf(error, "password")}>
          {(control) => (
            <Input {...control} name="password" type="password" autoComplete="new-password" minLength={SHORTEST_PASSWORD} required />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
