"use client";

import { useQuery } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { useId, useState } from "react";
import { useRefusal } from "@/components/layout/me";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useToast } from "@/components/ui/toast";
import type { ApiObject, RevisionEntry } from "@/lib/api/contract";
import { asApiError, FORM_MANAGER, isConflict, type ObjectRef, queries, useUpdate } from "@/lib/client";
import { ownersOf } from "@/lib/ownership";
import { type Difference, diffJson } from "@/lib/resource";
import { DifferenceList } from "../difference-list";
import { revertDraft, touchesSecrets } from "../history";

interface RevertProps {
  of: ObjectRef;
  object: ApiObject;
  revision: RevisionEntry;
}

export function RevertButton(props: RevertProps) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("edit");
  const denied = refusal ?? (props.object.metadata.deletionTimestamp ? "It is being deleted" : undefined);
  return (
    <>
      <Button size="sm" disabled={denied !== undefined} title={denied} onClick={() => setOpen(true)}>
        <Undo2 aria-hidden />
        Revert
        <span className="sr-only"> to generation {props.revision.generation}</span>
      </Button>
      {open ? <RevertDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** An old intent comes back as a new revision with its own message; history is never rewritten. */
function RevertDialog({ of, object, revision, onClose }: RevertProps & { onClose: () => void }) {
  const form = useId();
  const toast = useToast();
  const kinds = useQuery(queries.kinds());
  const update = useUpdate(of);
  const [message, setMessage] = useState(`Revert to generation ${revision.generation}`);
  // The version that was seen when the dialog opened: what came later must be seen before it is overwritten.
  const [base, setBase] = useState(object);
  const diff = diffJson(base.spec, revision.spec, "spec");
  const secrets = kinds.data?.find((kind) => kind.plural === of.plural)?.secretFields ?? [];
  const lost = touchesSecrets(diff, secrets);
  const appliers = appliersOf(base, diff);
  const revert = () =>
    update.mutate(
      { draft: revertDraft(base, revision), message },
      {
        onSuccess: (saved) => {
          toast("ok", {
            title: `Reverted to generation ${revision.generation}`,
            description: `It is generation ${saved.metadata.generation} now.`,
          });
          onClose();
        },
      },
    );
  return (
    <Dialog
      open
      onOpenChange={(next) => (next ? undefined : onClose())}
      size="lg"
      title={`Revert to generation ${revision.generation}`}
      description="Its spec is saved again as a new generation. Control and labels stay as they are."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            busy={update.isPending}
            disabled={diff.length === 0 || lost || message.trim() === ""}
          >
            Revert
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          revert();
        }}
      >
        <Field label="Message">
          {(control) => <Input {...control} maxLength={500} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />}
        </Field>
        {lost ? (
          <Callout tone="warn" title="Secret values cannot be brought back">
            History keeps them sealed and shows digests only. Edit the object and enter the value again.
          </Callout>
        ) : null}
        {appliers.length > 0 ? (
          <Callout tone="warn" title={`${appliers.join(", ")} applies some of these fields`}>
            The revert takes them over: the next time another value is applied, it is refused.
          </Callout>
        ) : null}
        <DifferenceList diff={diff} caption="What the revert changes" names={{ desired: "After", actual: "Now" }} />
        {update.error ? (
          <RevertFailed
            error={update.error}
            onReload={() => {
              update.reset();
              setBase(object);
            }}
          />
        ) : null}
      </form>
    </Dialog>
  );
}

/** Who stands behind fields that would change, other than the form itself. */
function appliersOf({ metadata }: ApiObject, diff: readonly Difference[]): string[] {
  const owners = diff.flatMap(({ path }) => ownersOf(metadata.managedFields ?? [], path));
  return [...new Set(owners.filter(({ standing, manager }) => standing && manager !== FORM_MANAGER).map(({ manager }) => manager))];
}

function RevertFailed({ error, onReload }: { error: Error; onReload: () => void }) {
  if (isConflict(error)) {
    return (
      <Callout
        role="alert"
        tone="warn"
        title="Somebody changed it meanwhile"
        actions={<Button onClick={onReload}>Show against the newest</Button>}
      >
        Nothing was overwritten. Look at what the revert would change now, then revert again.
      </Callout>
    );
  }
  const { message, advice } = asApiError(error);
  return (
    <Callout role="alert" tone="bad" title={message}>
      {advice}
    </Callout>
  );
}
