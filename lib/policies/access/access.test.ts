import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideAccess, mayRole, ROLES, type Verb } from ".";

const VERBS: Verb[] = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "control",
  "reconcile",
  "preview",
  "pause",
  "administer",
];

describe("access", () => {
  it("grows with the role", () => {
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
});
