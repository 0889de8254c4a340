"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Answer } from "@/components/layout/answer";
import { RelativeTime } from "@/components/layout/time";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card, CardHeader } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import { useToast } from "@/components/ui/toast";
import type { BindingEntry } from "@/lib/api/contract";
import { asApiError, queries, useDeleteBinding } from "@/lib/client";
import { ConfirmDialog } from "./confirm-dialog";
import { CreateBindingDialog } from "./create-binding-dialog";

const SUBJECT_WORD = { User: "person", Group: "group", ServiceAccount: "service account" };

/** Who has which role where, beside the roles of accounts. */
export function BindingsCard() {
  const query = useQuery(queries.bindings());
  const [creating, setCreating] = useState(false);
  return (
    <Card aria-labelledby="bindings">
      <CardHeader
        id="bindings"
        title="Role bindings"
        description="Give a person, a group or a service account a role in one namespace, or everywhere"
        actions={
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Bind role
          </Button>
        }
      />
      <Answer query={query} skeleton={<SkeletonRows rows={2} />} errorTitle="The bindings could not be loaded">
        {(bindings) =>
          bindings.length === 0 ? (
            <p className="px-4 pb-4 text-muted">Nothing is bound: everybody has the role of their account.</p>
          ) : (
            <ul className="divide-y divide-line border-line border-t">
              {bindings.map((binding) => (
                <BindingLine key={binding.id} binding={binding} />
              ))}
            </ul>
          )
        }
      </Answer>
      <CreateBindingDialog open={creating} onOpenChange={setCreating} />
    </Card>
  );
}

function BindingLine({ binding }: { binding: BindingEntry }) {
  const [asking, setAsking] = useState(false);
  const write = useDeleteBinding();
  const toast = useToast();
  const { subject, role, namespace } = binding;
  const who = subject.namespace === undefined ? subject.name : `${subject.namespace}/${subject.name}`;
  const where = namespace === "*" ? "everywhere" : `in ${namespace}`;
  const close = (next: boolean) => {
    if (!next) write.reset();
    setAsking(next);
  };
  const onSuccess = () => {
    toast("ok", { title: `${who} no longer has the role ${role} ${where}` });
    close(false);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5" data-binding={`${who} ${role} ${namespace}`}>
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{who}</span>
          <Badge>{SUBJECT_WORD[subject.kind]}</Badge>
        </p>
        <p className="break-words text-muted text-xs">
          {role} {where}, by {binding.createdBy} <RelativeTime at={binding.createdAt} />
        </p>
      </div>
      <Button size="sm" onClick={() => setAsking(true)} aria-label={`Unbind ${role} from ${who}`}>
        Unbind
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={close}
        title={`Unbind ${role} from ${who}?`}
        confirmLabel="Unbind"
        busy={write.isPending}
        error={write.error ? asApiError(write.error) : undefined}
        onConfirm={() => write.mutate({ id: binding.id }, { onSuccess })}
      >
        It ends at once, for open pages and running programs too.
      </ConfirmDialog>
    </li>
  );
}
