/** Who I am, who else there is, what kinds there are, and the first account. */
import { z } from "zod";
import { toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { covers, EVERY, mayAnywhere } from "@/lib/policies/access";
import type { JsonObject } from "@/lib/resource";
import type { Account } from "@/lib/store/users";
import { JSON_TYPE, MERGE_PATCH, readObject } from "../body";
import type { AnyKind, Call } from "../call";
import type { Cluster, KindInfo, Me, UserEntry } from "../contract";
import { json } from "../respond";

/** GET /api/console/me */
export async function me(call: Call): Promise<Response> {
  const { principal } = call;
  const { name, email, role, groups = [] } = principal;
  const { hostName, version } = call.dependencies;
  const can = {
    edit: mayAnywhere(principal, "update"),
    control: mayAnywhere(principal, "control"),
    administer: covers(principal, [{ verbs: [EVERY], kinds: [EVERY], namespaces: [EVERY] }]),
    delegate: mayAnywhere(principal, "administer"),
    makeTokens: principal.via === "session",
  };
  return json(call, { name, email, role, groups, can, host: hostName, version, serverTime: toIso(call.now) } satisfies Me);
}

/** GET /api/console/cluster */
export async function cluster(call: Call): Promise<Response> {
  const found = call.dependencies.cluster?.();
  if (!found) throw new SetpointError("NotFound", "this process does not serve the API over TLS: set SETPOINT_API_PORT");
  return json(call, found satisfies Cluster);
}

const infos = new WeakMap<AnyKind, KindInfo>();

/** GET /api/console/kinds */
export async function kinds(call: Call): Promise<Response> {
  return json(call, { items: call.dependencies.engine.kinds.map(kindInfo) });
}

function kindInfo(kind: AnyKind): KindInfo {
  const known = infos.get(kind);
  if (known) return known;
  const schema: JsonObject = JSON.parse(
    JSON.stringify(z.toJSONSchema(kind.schema, { target: "draft-7", io: "input", unrepresentable: "any" })),
  );
  const info: KindInfo = {
    name: kind.name,
    plural: kind.plural,
    description: kind.description,
    schema,
    columns: kind.columns,
    example: kind.example,
    hostBound: kind.hostBound ?? false,
    immutable: [...(kind.immutable ?? []), ...(kind.hostBound ? ["host"] : [])],
    secretFields: kind.secretFields ?? [],
  };
  infos.set(kind, info);
  return info;
}

const entry = ({ id, email, name, role, groups, disabled, createdAt }: Account): UserEntry => ({
  id,
  email,
  name,
  role,
  groups,
  disabled,
  createdAt,
});

/** GET /api/console/users */
export async function listUsers(call: Call): Promise<Response> {
  return json(call, { items: (await call.dependencies.users.list()).map(entry) });
}

/** POST /api/console/users */
export async function createUser(call: Call): Promise<Response> {
  const raw = await readObject(call);
  return json(call, entry(await call.dependencies.users.create(raw, call.principal)), 201);
}

/** PATCH /api/console/users/{id} */
export async function changeUser(call: Call): Promise<Response> {
  const raw = await readObject(call, [JSON_TYPE, MERGE_PATCH]);
  return json(call, entry(await call.dependencies.users.change(call.address.name ?? "", raw, call.principal)));
}

/** POST /api/console/setup: the one-time token is the credential. */
export async function setUp(call: Call): Promise<Response> {
  const raw = await readObject(call);
  return json(call, entry(await call.dependencies.users.setUp(raw)), 201);
}
