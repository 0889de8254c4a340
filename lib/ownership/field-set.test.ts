import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "@/lib/resource";
import { fromFieldsV1, sameSet, setOfPaths, toFieldsV1 } from "./field-set";
import { shapeOf } from "./shape";
import { fieldStep, keyStep, pathText, valueStep } from "./steps";

const step = fc.oneof(
  fc.constantFrom("a", "b", ".", "x.y", "f:").map(fieldStep),
  fc.constantFrom("http", "ssh").map((name) => keyStep({ name })),
  fc.constantFrom("app", 1, true).map(valueStep),
);

test("a set of fields survives its form on the wire, whatever its fields are called", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 30 }), (paths) => {
      const set = setOfPaths(paths);
      const wire: JsonObject = JSON.parse(JSON.stringify(toFieldsV1(set)));
      expect(sameSet(fromFieldsV1(wire), set)).toBe(true);
      expect(toFieldsV1(fromFieldsV1(wire))).toEqual(wire);
    }),
  );
});

test("the form is Kubernetes': an item of a list is itself in the set beside its fields", () => {
  const item = ["f:spec", "f:ports", keyStep({ name: "http" })];
  const set = setOfPaths([item, [...item, "f:name"], [...item, "f:port"], ["f:spec", "f:replicas"]]);
  expect(toFieldsV1(set)).toEqual({
    "f:spec": { "f:ports": { 'k:{"name":"http"}': { ".": {}, "f:name": {}, "f:port": {} } }, "f:replicas": {} },
  });
});

test("fields are named as Kubernetes names them in conflicts", () => {
  expect(pathText(["f:spec", "f:ports", keyStep({ protocol: "TCP", port: 80 }), "f:name"])).toBe(
    '.spec.ports[port=80,protocol="TCP"].name',
  );
  expect(pathText(["f:spec", "f:memberOf", valueStep("app")])).toBe('.spec.memberOf[="app"]');
});

test("a schema that contains itself has a shape all the same", () => {
  const schema: JsonObject = { type: "object", properties: { child: { $ref: "#" }, list: { type: "array" } } };
  expect(shapeOf(schema)).toMatchObject({ type: "map", fields: { list: { type: "whole" } } });
});
