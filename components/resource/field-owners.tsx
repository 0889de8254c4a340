"use client";

import { RelativeTime } from "@/components/layout/time";
import { type Owner, ownersOf } from "@/lib/ownership";
import type { ManagedFields } from "@/lib/resource";

/** What our own managers are called on the pages. */
const OWN: Record<string, string> = { "setpoint-form": "the form", "setpoint-console": "the console" };

const nameOf = ({ manager }: Owner) => (Object.hasOwn(OWN, manager) ? OWN[manager] : manager);

/** Whose a field is, and since when, in small words; nothing for one that nobody set, such as a default. */
export function FieldOwners({ managed, path }: { managed: readonly ManagedFields[]; path: string }) {
  const owners = ownersOf(managed, path);
  if (owners.length === 0) return null;
  return (
    <span className="block text-xs text-muted">
      {owners.map((owner, index) => (
        <span key={`${owner.operation} ${owner.manager}`} className="break-words">
          {index === 0 ? "" : " · "}
          {owner.standing && !Object.hasOwn(OWN, owner.manager) ? "applied by " : "set by "}
          <span className="break-all">{nameOf(owner)}</span> <RelativeTime at={owner.time} />
        </span>
      ))}
    </span>
  );
}
