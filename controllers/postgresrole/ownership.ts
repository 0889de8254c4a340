import { SetpointError } from "@/lib/errors";
import { parseMark, plainIdentifier } from "@/lib/providers/postgres";
import type { Resource } from "@/lib/resource";
import { type Observed, roleName } from "./observe";
import { type PostgresRoleSpec, roleNameFault } from "./schema";

type Role = Resource<PostgresRoleSpec>;

/** Our mark is on it. The provider compares again before it writes. */
export function isOurs({ metadata }: Role, { look, installation }: Observed): boolean {
  const mark = parseMark(look.role?.comment);
  return mark?.uid === metadata.uid && mark.installation === installation;
}

/** Whose it is, in words; undefined when nobody's. */
export function holderOf(resource: Role, observed: Observed): string | undefined {
  if (!observed.look.role) return undefined;
  const mark = parseMark(observed.look.role.comment);
  if (!mark) return "not marked";
  return isOurs(resource, observed) ? "ours" : `PostgresRole ${mark.name} of installation ${mark.installation}`;
}

/** What keeps the loop from this role for good; undefined when it may act. */
export function blockOf(resource: Role, observed: Observed): SetpointError | undefined {
  const name = roleName(resource);
  const shown = plainIdentifier(name);
  const fault = roleNameFault(name);
  if (fault !== undefined) return new SetpointError("InvalidSpec", `Role name ${shown} ${fault}`);
  const { look, server } = observed;
  if (name === look.server.user)
    return new SetpointError("NotOurs", `Role ${shown} is the one Setpoint connects to ${server} as; it is never touched`);
  if (look.role?.superuser) return new SetpointError("NotOurs", `Role ${shown} is a superuser; superusers are never touched`);
  const escalation = look.known.find((group) => group.superuser && resource.spec.memberOf.includes(group.name));
  if (escalation) return new SetpointError("Rejected", `Role ${escalation.name} is a superuser; membership in it is never given`);
  if (!look.role || isOurs(resource, observed)) return undefined;
  return claimOf(resource, observed, shown);
}

function claimOf({ control, metadata }: Role, { look, holderGone }: Observed, shown: string): SetpointError | undefined {
  const mark = parseMark(look.role?.comment);
  if (mark && !holderGone)
    return new SetpointError(
      "Contested",
      `Role ${shown} belongs to PostgresRole ${mark.name} of installation ${mark.installation}, which keeps it, and is claimed by PostgresRole ${metadata.namespace}/${metadata.name}; choose another name, or delete that one`,
    );
  if (control.adopt) return undefined;
  if (mark)
    return new SetpointError(
      "NotOurs",
      `Role ${shown} was made for PostgresRole ${mark.name}, which is gone; take it over with control.adopt`,
    );
  return new SetpointError("NotOurs", `Role ${shown} exists and is not ours; choose another name, or take it over with control.adopt`);
}
