/** What a real kube-apiserver 1.20.2 answered to applies of a custom resource, asked of ours. Its answers are in `testing/apply.golden.jsonl`. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { defineKind } from "@/lib/controller";
import { type Fixture, openFixture } from "./testing/fixture";

const widget = defineKind({
  name: "Widget",
  plural: "widgets",
  singular: "widget",
  description: "As the answers were given for.",
  schema: z.strictObject({
    replicas: z.int().optional(),
    mode: z.string().default("auto"),
    ports: z
      .array(z.strictObject({ name: z.string(), port: z.int() }))
      .optional()
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
  }),
  columns: [],
  example: {},
});

let api: Fixture;
beforeAll(async () => {
  api = await openFixture(undefined, [widget]);
});
afterAll(() => api.close());

/** Where ours answers another way, and why. */
const DIFFERENT: Record<string, { status: number; why: string }> = {
  "ssa status": { status: 405, why: "status is written by the engine only" },
};

// biome-ignore lint/suspicious/noExplicitAny: answers are compared as they are.
type Body = any;

/** What of an object the two have in common: identity, times and revisions are each server's own, control is ours alone. */
function comparable({ metadata, spec, kind, status, reason, code, message, details }: Body) {
  if (kind === "Status") return { status, reason, code, message, details };
  const managed = metadata.managedFields.map(({ time, ...entry }: Body) => ({ ...entry, timed: typeof time }));
  const { name, namespace, generation, labels } = metadata;
  return { name, namespace, generation, labels, spec, managed };
}

test("applies are answered as kube-apiserver answers them: code, reason, message, details, spec and who owns what", async () => {
  const lines = readFileSync(path.join(import.meta.dirname, "testing/apply.golden.jsonl"), "utf8")
    .trim()
    .split("\n");
  expect(lines.length).toBeGreaterThan(12);
  const versions: [Body, Body][] = [];
  for (const { name, request, response } of lines.map((line) => JSON.parse(line))) {
    const headers = { "content-type": request.contentType };
    const answer = await api.call(request.method, request.path, request.body, { headers });
    const different = DIFFERENT[name];
    if (different) {
      expect(answer.status, `${name}: ${different.why}`).toBe(different.status);
      continue;
    }
    expect(answer.status, name).toBe(response.code);
    expect(comparable(answer.body), name).toEqual(comparable(response.body));
    versions.push([answer.body.metadata.resourceVersion, response.body.metadata.resourceVersion]);
  }
  // A version moves where the real one's moved, and stays where that stayed.
  const moves = (side: 0 | 1) => versions.slice(1).map((pair, index) => pair[side] === versions[index]?.[side]);
  expect(moves(0)).toEqual(moves(1));
});
