"use client";

import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input, Select } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import { type ApiError, asApiError, useCreateRole } from "@/lib/client";
import { faultOf } from "./fault";
import { FormDialog } from "./form-dialog";
import { KindSelect } from "./kind-select";
import { RULE_RIGHTS, rulesOf } from "./role-rules";
import { ALL_RIGHTS } from "./token-scope";

const MOST_RULES = 10;

/** A role of one's own: what it grants is said here, to whom and where by binding it. */
export function CreateRoleDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [rows, setRows] = useState<readonly number[]>([0]);
  const write = useCreateRole();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) {
      write.reset();
      setRows([0]);
    }
    onOpenChange(next);
  };
  const submit = (text: (name: string) => string) => {
    const role = { name: text("name").trim(), description: text("description").trim(), rules: rulesOf(rows.length, text) };
    const onSuccess = () => {
      toast("ok", { title: `Added the role ${role.name}`, description: "It counts for nobody until it is bound." });
      close(false);
    };
    write.mutate(role, { onSuccess });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  return (
    <FormDialog
      open={open}
      onOpenChange={close}
      title="New role"
      submitLabel="Add role"
      busy={write.isPending}
      error={error}
      onSubmit={submit}
    >
      <Field label="Name" hint="Lower case letters, digits and hyphens." error={faultOf(error, "name")}>
        {(control) => <Input {...control} name="name" autoComplete="off" maxLength={63} required />}
      </Field>
      <Field label="Description" optional error={faultOf(error, "description")}>
        {(control) => <Input {...control} name="description" autoComplete="off" maxLength={500} />}
      </Field>
      {rows.map((row) => (
        <RuleFields key={row} row={row} error={error} />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={rows.length >= MOST_RULES} onClick={() => setRows([...rows, rows.length])}>
          <Plus aria-hidden />
          Another rule
        </Button>
        {rows.length > 1 ? (
          <Button size="sm" onClick={() => setRows(rows.slice(0, -1))}>
            <Trash2 aria-hidden />
            Remove the last
          </Button>
        ) : null}
      </div>
    </FormDialog>
  );
}

function RuleFields({ row, error }: { row: number; error?: ApiError }) {
  const fault = (part: string) => error?.causes.find(({ field }) => field.startsWith(`rules[${row}].${part}`))?.message;
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 text-muted text-xs">Rule {row + 1}</legend>
      <Field label="It may" error={fault("verbs")}>
        {(control) => (
          <Select {...control} name={`rights-${row}`} defaultValue="read">
            {[...ALL_RIGHTS]
              .sort((a, b) => Number(a === "all") - Number(b === "all"))
              .map((rights) => (
                <option key={rights} value={rights}>
                  {RULE_RIGHTS[rights]}
                </option>
              ))}
          </Select>
        )}
      </Field>
      <Field label="Kinds" error={fault("kinds")}>
        {(control) => <KindSelect {...control} name={`kind-${row}`} />}
      </Field>
    </fieldset>
  );
}
