"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Answer } from "@/components/layout/answer";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card, CardHeader } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import { useToast } from "@/components/ui/toast";
import type { RoleEntry } from "@/lib/api/contract";
import { asApiError, queries, useDeleteRole } from "@/lib/client";
import { ConfirmDialog } from "./confirm-dialog";
import { CreateRoleDialog } from "./create-role-dialog";
import { rulesText } from "./role-rules";

/** What can be bound: the built-in roles, and those that were made here. */
export function RolesCard() {
  const query = useQuery(queries.roles());
  const [creating, setCreating] = useState(false);
  return (
    <Card aria-labelledby="roles">
      <CardHeader
        id="roles"
        title="Roles"
        description="What can be bound below; a role of your own grants what its rules say, and nothing else"
        actions={
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            New role
          </Button>
        }
      />
      <Answer query={query} skeleton={<SkeletonRows rows={3} />} errorTitle="The roles could not be loaded">
        {(roles) => (
          <ul className="divide-y divide-line border-line border-t">
            {roles.map((role) => (
              <RoleLine key={role.name} role={role} />
            ))}
          </ul>
        )}
      </Answer>
      <CreateRoleDialog open={creating} onOpenChange={setCreating} />
    </Card>
  );
}

function RoleLine({ role }: { role: RoleEntry }) {
  const [asking, setAsking] = useState(false);
  const write = useDeleteRole();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    setAsking(next);
  };
  const onSuccess = () => {
    toast("ok", { title: `Deleted the role ${role.name}` });
    close(false);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5" data-role={role.name}>
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{role.name}</span>
          {role.builtIn ? <Badge>built in</Badge> : null}
        </p>
        {role.description ? <p className="break-words text-muted text-xs">{role.description}</p> : null}
        {role.builtIn ? null : <p className="break-words text-muted text-xs">{rulesText(role.rules)}</p>}
      </div>
      {role.builtIn ? null : (
        <Button size="sm" onClick={() => setAsking(true)} aria-label={`Delete the role ${role.name}`}>
          Delete
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={close}
        title={`Delete the role ${role.name}?`}
        confirmLabel="Delete"
        busy={write.isPending}
        error={write.error ? asApiError(write.error) : undefined}
        onConfirm={() => write.mutate({ name: role.name }, { onSuccess })}
      >
        A role that is bound to somebody stays: unbind it first.
      </ConfirmDialog>
    </li>
  );
}
