/** Generated facts for the plan; imported by tests only. */
import fc from "fast-check";
import { deletionOf, newResource } from "@/lib/conformance/kind";
import type { PlanInput } from "@/lib/controller";
import { kind } from ".";
import type { Observed, SeenInstance } from "./observe";
import type { ReplicaSetSpec } from "./schema";
import { templateHash } from "./template";

const NOW = 1_800_000_000_000;

export const specs: fc.Arbitrary<ReplicaSetSpec> = fc
  .record({
    replicas: fc.integer({ min: 0, max: 6 }),
    command: fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
    env: fc.option(fc.dictionary(fc.stringMatching(/^[A-Z_]{1,6}$/), fc.string({ maxLength: 8 }), { maxKeys: 3 }), { nil: undefined }),
    probe: fc.constantFrom(
      undefined,
      { tcp: { port: 9000 } },
      { http: { port: 9000, path: "/healthz" }, replaceAfterSeconds: 10 },
      { http: { port: 9000 } },
    ),
  })
  .map(({ replicas, command, env, probe }) =>
    kind.schema.parse({ replicas, template: { command, ...(env ? { env } : {}) }, ...(probe ? { probe } : {}) }),
  );

const times = fc.oneof(fc.integer({ min: NOW - 100_000, max: NOW + 5_000 }), fc.constantFrom(0, -1, NOW, 9e15));

function instances(spec: ReplicaSetSpec): fc.Arbitrary<SeenInstance> {
  return fc.record({
    pid: fc.integer({ min: 2, max: 4_000_000 }),
    startTicks: fc.nat(),
    bootId: fc.constantFrom("boot-1", "boot-2"),
    ordinal: fc.oneof(fc.integer({ min: 0, max: 7 }), fc.nat(999_999_999)),
    template: fc.constantFrom(templateHash(spec), templateHash(spec), "older", null),
    startedAt: times,
    port: fc.constantFrom(null, 9000, 0),
    leads: fc.boolean(),
    launch: fc.constantFrom<SeenInstance["launch"]>(
      null,
      { command: ["old", "x"], env: { A: "1" } },
      { command: spec.template.command, env: {} },
    ),
    probe: fc.option(fc.record({ fault: fc.constantFrom("HTTP 503", "nothing listens on port 9000"), failingSince: times }), { nil: null }),
  });
}

export function observations(spec: ReplicaSetSpec): fc.Arbitrary<Observed> {
  return fc.record({
    instances: fc.uniqueArray(instances(spec), { maxLength: 12, selector: (instance) => instance.pid }),
    exits: fc.uniqueArray(
      fc.record({
        ordinal: fc.integer({ min: 0, max: 7 }),
        template: fc.constantFrom(templateHash(spec), "older", null),
        code: fc.constantFrom(0, 1, null),
        signal: fc.constantFrom(null, "SIGKILL"),
        at: times,
        crashes: fc.nat(5),
        output: fc.constantFrom("", "Error: no"),
      }),
      { maxLength: 4, selector: (exit) => exit.ordinal },
    ),
    folders: fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 5 }),
    refusal: fc.option(fc.constant({ reason: "InvalidSpec" as const, message: "not allowed" }), { nil: null, freq: 5 }),
  });
}

export const inputs: fc.Arbitrary<PlanInput<ReplicaSetSpec, Observed>> = specs.chain((spec) =>
  fc.record({ observed: observations(spec), deleting: fc.boolean() }).map(({ observed, deleting }) => {
    const resource = newResource(kind, "web", spec);
    return { resource: deleting ? deletionOf(resource) : resource, observed, deleting, now: NOW };
  }),
);
