import { expect, it } from "vitest";
import { rulesOf, rulesText } from "./role-rules";

it("a role's rules are those of the form's rows, and are told in the same words", () => {
  const given: Record<string, string> = {
    "rights-0": "read",
    "kind-0": "",
    "rights-1": "control",
    "kind-1": "configfiles",
    "rights-2": "all",
  };
  const rules = rulesOf(2, (name) => given[name] ?? "");
  expect(rules).toEqual([
    { verbs: ["get", "list", "watch"], kinds: ["*"] },
    { verbs: ["get", "list", "watch", "control", "reconcile"], kinds: ["configfiles"] },
  ]);
  expect(rulesText(rules)).toBe("read: all kinds; read, pause, resume and reconcile: configfiles");
  expect(rulesText([{ verbs: ["pause", "get"], kinds: ["a", "b"] }])).toBe("pause, get: a, b");
});

it("a row that says nothing grants the least", () => {
  expect(rulesOf(1, () => "")).toEqual([{ verbs: ["get", "list", "watch"], kinds: ["*"] }]);
});
