"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Answer } from "@/components/layout/answer";
import { useMe } from "@/components/layout/me";
import { Button } from "@/components/ui/button";
import { Card, CardHeader } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import { queries } from "@/lib/client";
import { CreateUserDialog } from "./create-user-dialog";
import { UserLine } from "./user-line";

/** Accounts. Only administrators may see and change them; the others are told so instead of being shown dead buttons. */
export function UsersCard() {
  const me = useMe();
  if (!me) {
    return (
      <Card>
        <SkeletonRows rows={2} />
      </Card>
    );
  }
  if (!me.can.administer) {
    return (
      <Card aria-labelledby="users">
        <CardHeader id="users" title="Users" />
        <p className="px-4 pb-4 text-muted">Your role is {me.role}. Accounts are managed by administrators.</p>
      </Card>
    );
  }
  return <Users ownEmail={me.email} />;
}

function Users({ ownEmail }: { ownEmail: string }) {
  const query = useQuery(queries.users());
  const [creating, setCreating] = useState(false);
  return (
    <Card aria-labelledby="users">
      <CardHeader
        id="users"
        title="Users"
        description="Viewers see, operators declare and control, administrators also manage accounts and pause whole kinds"
        actions={
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Add user
          </Button>
        }
      />
      <Answer query={query} skeleton={<SkeletonRows rows={3} />} errorTitle="The users could not be loaded">
        {(users) =>
          users.length === 0 ? (
            <p className="px-4 pb-4 text-muted">There are no accounts; you are signed in by token.</p>
          ) : (
            <ul className="divide-y divide-line border-line border-t">
              {users.map((user) => (
                <UserLine key={user.id} user={user} own={user.email === ownEmail} />
              ))}
            </ul>
          )
        }
      </Answer>
      <CreateUserDialog open={creating} onOpenChange={setCreating} />
    </Card>
  );
}
