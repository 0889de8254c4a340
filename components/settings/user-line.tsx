"use client";

import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { RelativeTime } from "@/components/layout/time";
import { Badge } from "@/components/ui/badge";
import { IconButton } from "@/components/ui/button";
import { Select } from "@/components/ui/input";
import { Menu, MenuItem } from "@/components/ui/menu";
import { useToast } from "@/components/ui/toast";
import type { UserEntry } from "@/lib/api/contract";
import { type UserPatch, useChangeUser } from "@/lib/client";
import { GroupsDialog } from "./groups-dialog";
import { PasswordDialog } from "./password-dialog";
import { ROLES, roleOf } from "./roles";

/** One account: its role, whether it may sign in, and a new password for it. */
export function UserLine({ user, own }: { user: UserEntry; own: boolean }) {
  const [dialog, setDialog] = useState<"password" | "groups" | undefined>();
  const write = useChangeUser();
  const toast = useToast();
  const change = (patch: UserPatch, done: string) =>
    write.mutate(
      { id: user.id, ...patch },
      {
        onSuccess: () => toast("ok", { title: done }),
        onError: (error) => toast("bad", { title: `Could not change ${user.email}`, description: error.message }),
      },
    );
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5" data-user={user.email}>
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{user.name || user.email}</span>
          {own ? <Badge>You</Badge> : null}
          {user.groups.map((group) => (
            <Badge key={group}>{group}</Badge>
          ))}
          {user.disabled ? <Badge tone="calm">Disabled</Badge> : null}
        </p>
        <p className="break-words text-muted text-xs">
          {user.email}, since <RelativeTime at={user.createdAt} />
        </p>
      </div>
      <Select
        aria-label={`Role of ${user.email}`}
        className="w-40"
        value={user.role}
        disabled={own || write.isPending}
        title={own ? "Somebody else changes your own role" : undefined}
        onChange={(event) => change({ role: roleOf(event.target.value) }, `${user.email} is now ${event.target.value}`)}
      >
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </Select>
      <Menu
        trigger={
          <IconButton label={`More for ${user.email}`}>
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onClick={() => setDialog("groups")}>Set groups…</MenuItem>
        <MenuItem onClick={() => setDialog("password")}>Set a new password…</MenuItem>
        <MenuItem
          danger={!user.disabled}
          unavailable={own ? "Somebody else disables you" : undefined}
          onClick={() => change({ disabled: !user.disabled }, `${user.email} is ${user.disabled ? "enabled" : "disabled and signed out"}`)}
        >
          {user.disabled ? "Enable" : "Disable"}
        </MenuItem>
      </Menu>
      <PasswordDialog user={user} open={dialog === "password"} onOpenChange={(open) => setDialog(open ? "password" : undefined)} />
      <GroupsDialog user={user} open={dialog === "groups"} onOpenChange={(open) => setDialog(open ? "groups" : undefined)} />
    </li>
  );
}
