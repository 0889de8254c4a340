"use client";

import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input, Select } from "@/components/ui/input";
import { type ApiError, asApiError, useCreateToken } from "@/lib/client";
import { faultOf } from "./fault";
import { FormDialog } from "./form-dialog";
import { KindSelect } from "./kind-select";
import { MadeToken } from "./made-token";
import { LIMITS, limitsOf } from "./token-limits";
import { ALL_RIGHTS, RIGHTS, rightsOf } from "./token-scope";
import { wordsOf } from "./words";

/** Days that can be chosen, in words. */
const TERMS: [number, string][] = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [366, "a year"],
];

interface CreateTokenDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Whose it becomes; absent: one's own. */
  serviceAccount?: { namespace: string; name: string };
}

/** Makes a token, then shows it this once. */
export function CreateTokenDialog({ open, onOpenChange, serviceAccount }: CreateTokenDialogProps) {
  const write = useCreateToken();
  const close = (next: boolean) => {
    if (!next) write.reset();
    onOpenChange(next);
  };
  const submit = (text: (name: string) => string) => {
    const scope = {
      verbs: [...RIGHTS[rightsOf(text("rights"))].verbs],
      kinds: [text("kind") || "*"],
      namespaces: text("namespaces").trim() === "" ? ["*"] : wordsOf(text("namespaces")),
    };
    const { namespace, name } = serviceAccount ?? {};
    const owner = namespace !== undefined && name !== undefined ? { serviceAccount: { namespace, name } } : {};
    write.mutate({ name: text("name").trim(), expiresInDays: Number(text("days")), scope, limits: limitsOf(text), ...owner });
  };
  const error = write.error ? asApiError(write.error) : undefined;
  const owner = serviceAccount ? ` for ${serviceAccount.namespace}/${serviceAccount.name}` : "";
  if (write.data)
    return (
      <Dialog
        open={open}
        onOpenChange={close}
        title={`Token ${write.data.entry.name}${owner}`}
        footer={
          <Button variant="primary" onClick={() => close(false)}>
            I have copied it
          </Button>
        }
      >
        <MadeToken token={write.data.token} />
      </Dialog>
    );
  return (
    <FormDialog
      open={open}
      onOpenChange={close}
      title={`New token${owner}`}
      submitLabel="Create token"
      busy={write.isPending}
      error={error}
      onSubmit={submit}
    >
      <TokenFields error={error} />
    </FormDialog>
  );
}

function TokenFields({ error }: { error?: ApiError }) {
  return (
    <>
      <Field label="Name" hint="What or who will use it." error={faultOf(error, "name")}>
        {(control) => <Input {...control} name="name" autoComplete="off" maxLength={100} required />}
      </Field>
      <Field label="It may" error={faultOf(error, "scope.verbs")}>
        {(control) => (
          <Select {...control} name="rights" defaultValue="read">
            {ALL_RIGHTS.map((rights) => (
              <option key={rights} value={rights}>
                {RIGHTS[rights].label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Kinds" error={faultOf(error, "scope.kinds")}>
        {(control) => <KindSelect {...control} name="kind" />}
      </Field>
      <Field label="Namespaces" optional hint="Separated by commas. Empty: all." error={placeFault(error)}>
        {(control) => <Input {...control} name="namespaces" autoComplete="off" />}
      </Field>
      <Field label="It ends after" error={faultOf(error, "expiresInDays")}>
        {(control) => (
          <Select {...control} name="days" defaultValue="90">
            {TERMS.map(([days, words]) => (
              <option key={days} value={days}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <LimitFields error={error} />
    </>
  );
}

function LimitFields({ error }: { error?: ApiError }) {
  return (
    <details open={LIMITS.some(({ name }) => faultOf(error, `limits.${name}`) !== undefined) || undefined}>
      <summary className="cursor-pointer text-muted text-xs">Limits, where they are to be other than the usual ones</summary>
      <div className="mt-3 flex flex-col gap-3">
        {LIMITS.map(({ name, label, least, most, usual }) => (
          <Field key={name} label={label} optional hint={`${least} to ${most}. Empty: ${usual}.`} error={faultOf(error, `limits.${name}`)}>
            {(control) => <Input {...control} name={name} type="number" inputMode="numeric" min={least} max={most} step={1} />}
          </Field>
        ))}
      </div>
    </details>
  );
}

/** A fault is told for the one name that has it: `scope.namespaces[1]`. */
function placeFault(error: ApiError | undefined): string | undefined {
  return error?.causes.find(({ field }) => field.startsWith("scope.namespaces"))?.message;
}
