import type { ApplyContext } from "@/lib/controller";
import type { Attributes, Postgres } from "@/lib/providers/postgres";
import type { Resource } from "@/lib/resource";
import { findTarget, wishedPassword } from "./observe";
import type { RoleAction } from "./plan";
import type { PostgresRoleSpec } from "./schema";

/** One transaction; safe to repeat. The password joins here: it is in no plan. */
export async function apply(
  postgres: Postgres,
  action: RoleAction,
  resource: Resource<PostgresRoleSpec>,
  context: ApplyContext,
): Promise<void> {
  const target = await findTarget(resource, context);
  const { setPassword, attributes, ...change } = action.input;
  const password = setPassword ? await wishedPassword(resource, context) : undefined;
  const wished: Partial<Attributes> = attributes;
  await postgres.change(
    target,
    { ...change, attributes: wished, ...(password === undefined ? {} : { password }) },
    { signal: context.signal },
  );
}
