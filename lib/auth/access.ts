/** Service accounts, roles and bindings, by who administers them. Nobody gives more than they have. */
import { SetpointError } from "@/lib/errors";
import {
  bound,
  builtInRules,
  covers,
  decideAccess,
  EVERY,
  mayAnywhere,
  namespacesWith,
  type Principal,
  ROLES,
} from "@/lib/policies/access";
import type { AccessStore, ServiceAccount, StoredBinding, StoredRole, StoredToken } from "@/lib/store/access";
import { auditOf } from "./audit";
import { newBinding, newRole, newServiceAccount, parse, refuse, roleRules } from "./shapes";

const BUILT_IN: Record<(typeof ROLES)[number], string> = {
  viewer: "Reads.",
  operator: "Reads, edits intent, controls loops.",
  administrator: "May everything.",
};

export class Access {
  constructor(private readonly store: AccessStore) {}

  async serviceAccounts(by: Principal): Promise<(ServiceAccount & { tokens: StoredToken[] })[]> {
    const may = this.placesOf(by, "serviceaccounts");
    const [accounts, tokens] = await Promise.all([this.store.serviceAccounts(), this.store.serviceAccountTokens()]);
    return accounts.filter(({ namespace }) => may(namespace)).map((account) => ({ ...account, tokens: tokens[account.id] ?? [] }));
  }

  async createServiceAccount(raw: unknown, by: Principal): Promise<ServiceAccount> {
    const { namespace, name } = parse("service account", newServiceAccount, raw);
    require(by, "serviceaccounts", namespace, name);
    return this.store.createServiceAccount(
      { namespace, name, createdBy: by.name },
      auditOf(by, "create", "ServiceAccount", name, {}, namespace),
    );
  }

  async deleteServiceAccount(namespace: string, name: string, by: Principal): Promise<void> {
    require(by, "serviceaccounts", namespace, name);
    await this.store.deleteServiceAccount(namespace, name, auditOf(by, "delete", "ServiceAccount", name, {}, namespace));
  }

  async roles(by: Principal): Promise<(Omit<StoredRole, "createdBy" | "createdAt"> & { builtIn: boolean })[]> {
    if (!mayAnywhere(by, "administer")) require(by, "roles", EVERY);
    const own = await this.store.roles();
    return [
      ...ROLES.map((name) => ({ name, description: BUILT_IN[name], rules: builtInRules(name), builtIn: true })),
      ...own.map(({ name, description, rules }) => ({ name, description, rules, builtIn: false })),
    ];
  }

  async createRole(raw: unknown, by: Principal): Promise<StoredRole> {
    const { name, description, rules } = parse("role", newRole, raw);
    require(by, "roles", EVERY, name);
    if (builtInRules(name)) throw new SetpointError("AlreadyExists", `roles "${name}" already exists: it is built in`);
    return this.store.createRole({ name, description, rules, createdBy: by.name }, auditOf(by, "create", "Role", name, { rules }));
  }

  async deleteRole(name: string, by: Principal): Promise<void> {
    require(by, "roles", EVERY, name);
    if (builtInRules(name))
      throw refuse("request", [{ reason: "FieldValueForbidden", field: "name", message: "Forbidden: built-in roles stay" }]);
    await this.store.deleteRole(name, auditOf(by, "delete", "Role", name));
  }

  async bindings(by: Principal): Promise<StoredBinding[]> {
    const may = this.placesOf(by, "bindings");
    return (await this.store.bindings()).filter(({ namespace }) => may(namespace));
  }

  async createBinding(raw: unknown, by: Principal): Promise<StoredBinding> {
    const { role, namespace, subject } = parse("binding", newBinding, raw);
    require(by, "bindings", namespace);
    const builtIn = builtInRules(role);
    const rules = builtIn ?? (await this.rulesOfRole(role));
    if (!covers(by, bound(rules, namespace)))
      throw new SetpointError("Forbidden", `the role ${role} grants more than ${by.name} may there: nobody gives more than they have`);
    return this.store.createBinding(
      { role, namespace, subject, createdBy: by.name, builtIn: builtIn !== undefined },
      auditOf(by, "create", "Binding", subject.name, { role, in: namespace, subject }),
    );
  }

  async deleteBinding(id: string, by: Principal): Promise<void> {
    const absent = new SetpointError("NotFound", `bindings "${id.slice(0, 64)}" not found`);
    const found = await this.store.binding(id);
    if (!found || !mayHere(by, "bindings", found.namespace)) {
      // Who administers nothing learns that, and not which bindings there are.
      if (!mayAnywhere(by, "administer")) require(by, "bindings", EVERY);
      throw absent;
    }
    const { role, namespace, subject } = found;
    await this.store.deleteBinding(id, auditOf(by, "delete", "Binding", subject.name, { role, in: namespace, subject: { ...subject } }));
  }

  private async rulesOfRole(name: string) {
    const found = (await this.store.roles()).find((candidate) => candidate.name === name);
    const parsed = roleRules.safeParse(found?.rules);
    if (!parsed.success) throw new SetpointError("NotFound", `roles "${name}" not found`);
    return parsed.data;
  }

  /** Where they may be administered; throws Forbidden when nowhere. */
  private placesOf(by: Principal, plural: string): (namespace: string) => boolean {
    const places = namespacesWith(by, "administer", plural);
    if (places === EVERY) return () => true;
    if (places.length === 0) require(by, plural, EVERY);
    return (namespace) => places.includes(namespace);
  }
}

const targetOf = (plural: string, namespace: string, name?: string) => ({
  plural,
  namespace: namespace === EVERY ? undefined : namespace,
  name,
});

function mayHere(by: Principal, plural: string, namespace: string): boolean {
  return decideAccess(by, "administer", targetOf(plural, namespace)).allowed;
}

function require(by: Principal, plural: string, namespace: string, name?: string): void {
  const verdict = decideAccess(by, "administer", targetOf(plural, namespace, name));
  if (!verdict.allowed) throw new SetpointError(verdict.reason, verdict.message);
}
