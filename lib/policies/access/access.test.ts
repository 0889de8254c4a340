import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AccessRule,
  bound,
  builtInRules,
  covers,
  decideAccess,
  EVERY,
  everythingOf,
  mayAnywhere,
  mayRole,
  namespacesWith,
  type Principal,
  ROLES,
  rulesOf,
  VERBS,
  type Verb,
} from ".";

const KINDS = ["widgets", "vaults", "lockers"];
const PLACES = ["default", "team-a", "team-b"];

const some = <T extends string>(words: readonly T[]) => fc.subarray<T | typeof EVERY>([...words, EVERY]);
const rule: fc.Arbitrary<AccessRule> = fc.record({ verbs: some<Verb>(VERBS), kinds: some(KINDS), namespaces: some(PLACES) });
const principal: fc.Arbitrary<Principal> = fc.record(
  {
    name: fc.constant("ana"),
    email: fc.constant(""),
    role: fc.constantFrom("none" as const, ...ROLES),
    via: fc.constant("token" as const),
    rules: fc.array(rule, { maxLength: 3 }),
    scope: rule,
  },
  { requiredKeys: ["name", "email", "role", "via"] },
);
/** One question: `undefined` as namespace is "in all of them". */
const question = fc.tuple(fc.constantFrom(...VERBS), fc.constantFrom(...KINDS), fc.constantFrom(undefined, ...PLACES));
const may = (who: Principal, verb: Verb, plural: string, namespace?: string) => decideAccess(who, verb, { plural, namespace }).allowed;

/** The model: a rule says it word for word or by `*`, and so does the scope. */
function modelAllows({ role, rules = [], scope }: Principal, verb: Verb, plural: string, namespace: string | undefined): boolean {
  const has = (list: string[], word: string | undefined) => list.includes("*") || (word !== undefined && list.includes(word));
  const says = (one: AccessRule) => has(one.verbs, verb) && has(one.kinds, plural) && has(one.namespaces, namespace);
  const granted = (role !== "none" && mayRole(role, verb)) || rules.some(says);
  return granted && (scope === undefined || says(scope));
}

describe("access", () => {
  it("grows with the built-in role", () => {
    for (const verb of VERBS) {
      const allowed = ROLES.map((role) => mayRole(role, verb));
      expect([verb, allowed]).toEqual([verb, [...allowed].sort()]);
      expect(allowed.at(-1)).toBe(true);
    }
    expect(VERBS.filter((verb) => mayRole("viewer", verb))).toEqual(["get", "list", "watch"]);
    expect(VERBS.filter((verb) => !mayRole("operator", verb))).toEqual(["pause", "administer"]);
  });

  it("is refused with who, what, where and what is missing; nobody is told to sign in", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ROLES), fc.constantFrom(...VERBS), fc.string(), (role, verb, name) => {
        const verdict = decideAccess({ name, email: "", role, via: "token" }, verb, { plural: "widgets", namespace: "default" });
        expect(verdict.allowed).toBe(mayRole(role, verb));
        if (!verdict.allowed)
          expect(verdict.message).toContain(
            `User "${name}" cannot ${verb} resource "widgets" in API group "setpoint.dev" in the namespace "default"`,
          );
      }),
    );
    expect(decideAccess(undefined, "get", { plural: "widgets" })).toMatchObject({ allowed: false, reason: "Unauthorized" });
  });

  it("is what a rule grants and the token's scope leaves, never more and never less", () => {
    fc.assert(
      fc.property(principal, question, (who, [verb, plural, namespace]) => {
        expect(may(who, verb, plural, namespace)).toBe(modelAllows(who, verb, plural, namespace));
      }),
      { numRuns: 1_000 },
    );
  });

  it("only shrinks by a scope, and says that the token is the reason", () => {
    fc.assert(
      fc.property(principal, rule, question, (who, scope, [verb, plural, namespace]) => {
        const free = { ...who, scope: undefined };
        const verdict = decideAccess({ ...free, scope }, verb, { plural, namespace });
        if (verdict.allowed) expect(may(free, verb, plural, namespace)).toBe(true);
        else if (may(free, verb, plural, namespace)) expect(verdict.message).toContain("was not made for it");
      }),
    );
  });

  it("is listed by namespace exactly as it is decided", () => {
    fc.assert(
      fc.property(principal, question, (who, [verb, plural]) => {
        for (const namespace of PLACES) {
          const listed = rulesOf(who, namespace).some(
            ({ verbs, kinds }) => (verbs.includes(verb) || verbs.includes(EVERY)) && (kinds.includes(plural) || kinds.includes(EVERY)),
          );
          expect([namespace, listed]).toEqual([namespace, may(who, verb, plural, namespace)]);
        }
        const where = namespacesWith(who, verb, plural);
        expect(where === EVERY).toBe(may(who, verb, plural));
        if (where !== EVERY) expect(where).toEqual(PLACES.filter((namespace) => may(who, verb, plural, namespace)));
        if (where === EVERY || where.length > 0) expect(mayAnywhere(who, verb)).toBe(true);
      }),
    );
  });

  it("is never given further by who does not have it", () => {
    fc.assert(
      fc.property(principal, rule, question, (giver, given, [verb, plural, namespace]) => {
        if (!covers(giver, [given])) return;
        const receiver: Principal = { name: "b", email: "", role: "none", via: "token", rules: [given] };
        if (may(receiver, verb, plural, namespace)) expect(may(giver, verb, plural, namespace)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("covers itself", () => {
    fc.assert(
      fc.property(principal, (who) => {
        expect(covers(who, everythingOf(who))).toBe(true);
      }),
    );
    const administrator: Principal = { name: "a", email: "", role: "administrator", via: "session" };
    expect(covers(administrator, [{ verbs: [EVERY], kinds: [EVERY], namespaces: [EVERY] }])).toBe(true);
  });

  it("of a role bound in one namespace ends there", () => {
    const who: Principal = { name: "a", email: "", role: "none", via: "token", rules: bound(builtInRules("operator") ?? [], "team-a") };
    expect(may(who, "patch", "widgets", "team-a")).toBe(true);
    expect(may(who, "get", "widgets", "team-b")).toBe(false);
    expect(may(who, "list", "widgets")).toBe(false);
    expect(namespacesWith(who, "list", "widgets")).toEqual(["team-a"]);
  });
});
