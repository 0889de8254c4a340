import { expect, test } from "vitest";
import type { JsonObject, ManagedFields } from "@/lib/resource";
import { ownersOf } from ".";

const entry = (manager: string, fieldsV1: JsonObject, operation: ManagedFields["operation"] = "Apply", time = "2026-01-01T00:00:00Z") => ({
  manager,
  operation,
  time,
  apiVersion: "setpoint.dev/v1alpha1",
  fieldsType: "FieldsV1" as const,
  fieldsV1,
});

const managed = [
  entry("kubectl", { "f:spec": { "f:env": { "f:a.b": {}, "f:a": { "f:c": {} } }, "f:command": {} } }),
  entry(
    "curl",
    { "f:spec": { "f:replicas": {} }, "f:metadata": { "f:labels": { "f:example.org/tier": {} } } },
    "Update",
    "2026-01-02T00:00:00Z",
  ),
  entry("grants", { "f:spec": { "f:grants": { 'k:{"database":"app"}': { ".": {}, "f:privileges": {} } }, "f:env": { "f:a.b": {} } } }),
];
const names = (path: string) => ownersOf(managed, path).map(({ manager }) => manager);

test("a field's owners are found by the path that pages show, dots in names included", () => {
  expect(names("spec.replicas")).toEqual(["curl"]);
  expect(names("metadata.labels.example.org/tier")).toEqual(["curl"]);
  expect(names("spec.env.a.b")).toEqual(["kubectl", "grants"]);
  expect(names("spec.env.a.c")).toEqual(["kubectl"]);
  expect(names("spec.env.a.d")).toEqual([]);
  expect(names("ownership")).toEqual([]);
});

test("what is owned as a whole covers what is in it, and a map is everybody's who owns something in it, newest first", () => {
  expect(names("spec.command.0")).toEqual(["kubectl"]);
  expect(names("spec.grants.0.privileges")).toEqual(["grants"]);
  expect(names("spec")).toEqual(["curl", "kubectl", "grants"]);
});
