"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Field } from "@/components/ui/field";
import { Input, Select } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import type { BindingEntry } from "@/lib/api/contract";
import { asApiError, queries, useCreateBinding } from "@/lib/client";
import { faultOf } from "./fault";
import { FormDialog } from "./form-dialog";

type SubjectKind = BindingEntry["subject"]["kind"];
const SUBJECTS: Record<SubjectKind, { label: string; hint: string }> = {
  User: { label: "a person", hint: "Their e-mail address." },
  Group: { label: "a group", hint: "A group of accounts, or system:authenticated for everybody who is known." },
  ServiceAccount: { label: "a service account", hint: "Namespace and name, such as default/ci." },
};
const KINDS: readonly SubjectKind[] = ["User", "Group", "ServiceAccount"];

function subjectOf(kind: SubjectKind, text: string): BindingEntry["subject"] {
  if (kind !== "ServiceAccount") return { kind, name: text };
  const [namespace = "", ...name] = text.split("/");
  return { kind, namespace, name: name.join("/") };
}

export function CreateBindingDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const roles = useQuery({ ...queries.roles(), enabled: open }).data ?? [];
  const [kind, setKind] = useState<SubjectKind>("User");
  const write = useCreateBinding();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (text: (name: string) => string) => {
    const subject = subjectOf(kind, text("subject").trim());
    const onSuccess = () => {
      toast("ok", { title: `${subject.name} now has the role ${text("role")}` });
      close(false);
    };
    write.mutate({ role: text("role"), namespace: text("namespace").trim() || "*", subject }, { onSuccess });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <FormDialog
      open={open}
      onOpenChange={close}
      title="Bind a role"
      submitLabel="Bind role"
      busy={write.isPending}
      error={error}
      onSubmit={submit}
    >
      <Field label="To">
        {(control) => (
          <Select {...control} value={kind} onChange={(event) => setKind(KINDS.find((one) => one === event.target.value) ?? "User")}>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {SUBJECTS[one].label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Who" hint={SUBJECTS[kind].hint} error={faultOf(error, "subject.name") ?? faultOf(error, "subject.namespace")}>
        {(control) => <Input {...control} name="subject" autoComplete="off" required />}
      </Field>
      <Field label="Role" error={faultOf(error, "role")}>
        {(control) => (
          <Select {...control} name="role" defaultValue="viewer">
            {roles.map(({ name, description }) => (
              <option key={name} value={name}>
                {description ? `${name}: ${description}` : name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Namespace" optional hint="Empty: everywhere." error={error?.causes.find(({ field }) => field === "namespace")?.message}>
        {(control) => <Input {...control} name="namespace" autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}
