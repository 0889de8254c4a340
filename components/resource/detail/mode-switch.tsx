"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useRefusal } from "@/components/layout/me";
import { ModeBadge } from "@/components/layout/status-badge";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { Segmented } from "@/components/ui/segmented";
import { useToast } from "@/components/ui/toast";
import type { ApiObject } from "@/lib/api/contract";
import { asApiError, type ObjectRef, queries, useControl } from "@/lib/client";
import type { Mode } from "@/lib/resource";

const OPTIONS = [
  { value: "Auto", label: "Auto", title: "Auto: the loop corrects what differs" },
  { value: "DryRun", label: "Dry-run", title: "Dry-run: the plan is shown and never applied" },
  { value: "Observe", label: "Observe", title: "Observe: drift is shown, no plan is made" },
] as const;

/** The operator's hand on the loop. Only the way back to acting is asked about first: it takes effect outside at once. */
export function ModeSwitch({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const toast = useToast();
  const control = useControl(of);
  const refusal = useRefusal("control");
  const [confirming, setConfirming] = useState(false);
  const { mode } = object.control;
  if (refusal) {
    return (
      <span title={refusal}>
        <ModeBadge mode={mode} />
      </span>
    );
  }
  const change = (next: Mode) =>
    control.mutate(
      { mode: next },
      {
        onSuccess: () => {
          setConfirming(false);
          toast("ok", { title: `Mode of ${object.metadata.name} is ${OPTIONS.find((option) => option.value === next)?.label}` });
        },
        onError: (error) => {
          setConfirming(false);
          toast("bad", { title: "The mode was not changed", description: asApiError(error).message });
        },
      },
    );
  return (
    <>
      <Segmented
        label="Mode"
        value={control.isPending ? (control.variables?.mode ?? mode) : mode}
        onValueChange={(next) => (next === "Auto" ? setConfirming(true) : change(next))}
        options={OPTIONS}
      />
      {confirming ? (
        <ConfirmAuto
          of={of}
          object={object}
          busy={control.isPending}
          onClose={() => setConfirming(false)}
          onConfirm={() => change("Auto")}
        />
      ) : null}
    </>
  );
}

interface ConfirmAutoProps {
  of: ObjectRef;
  object: ApiObject;
  busy: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

function ConfirmAuto({ of, object, busy, onClose, onConfirm }: ConfirmAutoProps) {
  const plan = useQuery({ ...queries.plan(of), staleTime: 0 });
  const actions = plan.data?.actions ?? [];
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title="Let the loop act?"
      description={`${object.kind} ${object.metadata.name} changes from ${object.control.mode === "DryRun" ? "dry-run" : "observe"} to auto.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} onClick={onConfirm}>
            Switch to auto
          </Button>
        </>
      }
    >
      {plan.isPending ? <p className="text-muted">Looking at what would be done…</p> : null}
      {plan.isError ? <p className="text-muted">What would be done is not known now: {asApiError(plan.error).message}</p> : null}
      {plan.data && actions.length === 0 ? <p>Nothing would be done now.</p> : null}
      {actions.length > 0 ? (
        <>
          <p className="mb-1">This would be done at once, in this order:</p>
          <ol className="list-decimal pl-5">
            {actions.map((action) => (
              <li key={`${action.type} ${action.target}`} className="break-words">
                {action.message} <span className="font-mono text-muted text-xs">({action.target})</span>
              </li>
            ))}
          </ol>
        </>
      ) : null}
      {object.view.state === "Paused" ? (
        <Callout tone="calm" className="mt-3">
          It stays paused: nothing is done until it is resumed.
        </Callout>
      ) : null}
    </Dialog>
  );
}
