/** Tokens, service accounts, roles and bindings. Who may is asked where it is done: in `lib/auth`, for each of them. */
import type { StoredBinding, StoredToken } from "@/lib/store/access";
import { readObject } from "../body";
import type { Call } from "../call";
import type { BindingEntry, MadeTokenAnswer, ServiceAccountEntry, TokenEntry } from "../contract";
import { json } from "../respond";

function tokenEntry({ id, name, prefix, scope, limits, createdAt, expiresAt, lastUsedAt }: StoredToken, now: number): TokenEntry {
  const used = lastUsedAt === undefined ? {} : { lastUsedAt };
  return { id, name, prefix, scope, limits, createdAt, expiresAt, ...used, expired: Date.parse(expiresAt) <= now };
}

const bindingEntry = ({ id, role, namespace, subject, createdBy, createdAt }: StoredBinding): BindingEntry => ({
  id,
  role,
  namespace,
  subject,
  createdBy,
  createdAt,
});

const gone = (call: Call) => json(call, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 200 });

/** GET /api/console/tokens: one's own. */
export async function listTokens(call: Call): Promise<Response> {
  const tokens = await call.dependencies.tokens.list(call.principal);
  return json(call, { items: tokens.map((token) => tokenEntry(token, call.now)) });
}

/** POST /api/console/tokens: the one answer that shows the token. */
export async function createToken(call: Call): Promise<Response> {
  const raw = await readObject(call);
  const { token, secret } = await call.dependencies.tokens.create(raw, call.principal);
  return json(call, { token: secret, entry: tokenEntry(token, call.now) } satisfies MadeTokenAnswer, 201);
}

/** DELETE /api/console/tokens/{id}: it counts for nothing from then on. */
export async function deleteToken(call: Call): Promise<Response> {
  await call.dependencies.tokens.remove(call.address.name ?? "", call.principal);
  return gone(call);
}

/** GET /api/console/serviceaccounts */
export async function listServiceAccounts(call: Call): Promise<Response> {
  const accounts = await call.dependencies.access.serviceAccounts(call.principal);
  const items = accounts.map(
    ({ namespace, name, createdBy, createdAt, tokens }): ServiceAccountEntry => ({
      namespace,
      name,
      principal: `system:serviceaccount:${namespace}:${name}`,
      createdBy,
      createdAt,
      tokens: tokens.map((token) => tokenEntry(token, call.now)),
    }),
  );
  return json(call, { items });
}

/** POST /api/console/serviceaccounts */
export async function createServiceAccount(call: Call): Promise<Response> {
  const raw = await readObject(call);
  const { namespace, name, createdBy, createdAt } = await call.dependencies.access.createServiceAccount(raw, call.principal);
  const principal = `system:serviceaccount:${namespace}:${name}`;
  return json(call, { namespace, name, principal, createdBy, createdAt, tokens: [] } satisfies ServiceAccountEntry, 201);
}

/** DELETE /api/console/serviceaccounts/{namespace}/{name}: with its tokens and bindings. */
export async function deleteServiceAccount(call: Call): Promise<Response> {
  const { namespace = "", name = "" } = call.address;
  await call.dependencies.access.deleteServiceAccount(namespace, name, call.principal);
  return gone(call);
}

/** GET /api/console/roles: built-in ones first. */
export async function listRoles(call: Call): Promise<Response> {
  return json(call, { items: await call.dependencies.access.roles(call.principal) });
}

/** POST /api/console/roles */
export async function createRole(call: Call): Promise<Response> {
  const raw = await readObject(call);
  const { name, description, rules } = await call.dependencies.access.createRole(raw, call.principal);
  return json(call, { name, description, rules, builtIn: false }, 201);
}

/** DELETE /api/console/roles/{name} */
export async function deleteRole(call: Call): Promise<Response> {
  await call.dependencies.access.deleteRole(call.address.name ?? "", call.principal);
  return gone(call);
}

/** GET /api/console/bindings */
export async function listBindings(call: Call): Promise<Response> {
  return json(call, { items: (await call.dependencies.access.bindings(call.principal)).map(bindingEntry) });
}

/** POST /api/console/bindings */
export async function createBinding(call: Call): Promise<Response> {
  const raw = await readObject(call);
  return json(call, bindingEntry(await call.dependencies.access.createBinding(raw, call.principal)), 201);
}

/** DELETE /api/console/bindings/{id} */
export async function deleteBinding(call: Call): Promise<Response> {
  await call.dependencies.access.deleteBinding(call.address.name ?? "", call.principal);
  return gone(call);
}
