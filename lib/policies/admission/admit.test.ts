import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { FINALIZER, type JsonObject, type Resource } from "@/lib/resource";
import { createSealer } from "@/lib/secrets";
import { type AdmissionContext, type AnyKind, admitCreate, admitUpdate } from "./admit";
import { mergePatch } from "./merge-patch";
import { hideSecretsOf } from "./secrets";

const kind: AnyKind = {
  name: "Thing",
  plural: "things",
  singular: "thing",
  description: "",
  schema: z.strictObject({
    size: z.int(),
    fixed: z.string().default("f"),
    host: z.string().optional(),
    values: z.record(z.string(), z.string()).default({}),
    way: z.union([z.strictObject({ http: z.string() }), z.strictObject({ tcp: z.number() })]).optional(),
  }) as unknown as AnyKind["schema"],
  columns: [],
  example: {},
  hostBound: true,
  immutable: ["fixed"],
  secretFields: ["values.*"],
};
const context: AdmissionContext = {
  kind,
  namespace: "default",
  name: "a",
  sealer: createSealer(randomBytes(32)),
  hostName: "here",
  by: "me",
  now: 0,
};

function stored(document: JsonObject): Resource {
  const { spec, control, labels, annotations, finalizers, ownerReferences } = admitCreate(document, context);
  const metadata = {
    name: "a",
    namespace: "default",
    uid: "u",
    resourceVersion: "1",
    generation: 1,
    creationTimestamp: "t",
    labels,
    annotations,
    finalizers,
    ownerReferences,
  };
  return { kind: "Thing", metadata, spec, control };
}
/** As a client reads it. */
const read = ({ kind: name, metadata, spec, control }: Resource): JsonObject =>
  JSON.parse(
    JSON.stringify({
      apiVersion: "setpoint.dev/v1alpha1",
      kind: name,
      metadata,
      spec: hideSecretsOf(spec),
      control,
      status: { state: "Converged" },
      freshness: {},
      view: {},
    }),
  );

const causesOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof SetpointError) return error.causes;
    throw error;
  }
  return [];
};

const spec = fc.record({
  size: fc.integer(),
  values: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.string({ unit: "grapheme" }), { noNullPrototype: true }),
});

describe("admission", () => {
  it("of what was read changes nothing, secrets included", () => {
    fc.assert(
      fc.property(
        spec,
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.stringMatching(/^[a-z]{0,5}$/), { noNullPrototype: true }),
        (intent, labels) => {
          const resource = stored({ metadata: { labels }, spec: intent });
          const again = admitUpdate(resource, read(resource), context);
          expect(again.spec).toEqual(resource.spec);
          expect(again.control).toEqual(resource.control);
          expect([again.labels, again.finalizers]).toEqual([labels, [FINALIZER]]);
        },
      ),
    );
  });

  it("shows no secret, and keeps each that did not change as it was sealed", () => {
    fc.assert(
      fc.property(spec, spec, (before, after) => {
        const resource = stored({ spec: before });
        const next = admitUpdate(resource, { spec: after }, context).spec;
        for (const [key, value] of Object.entries(after.values)) {
          const [was, is] = [resource.spec.values, next.values].map((values) => (values as Record<string, unknown>)[key]);
          if (Object.hasOwn(before.values, key) && before.values[key] === value) expect(is).toBe(was);
          else expect(is).not.toEqual(was);
        }
        const shown = JSON.stringify(hideSecretsOf(next));
        expect(shown).not.toContain("sealed");
        for (const value of Object.values(after.values))
          if (value.length > 8) expect(shown).not.toContain(JSON.stringify(value).slice(1, -1));
      }),
    );
  });

  it("never throws anything but an error of the catalogue, and never names a value of a secret", () => {
    const anything = fc.object({
      maxDepth: 3,
      key: fc.constantFrom("size", "values", "metadata", "labels", "control", "paused", "finalizers", "spec", "x"),
    });
    fc.assert(
      fc.property(anything, anything, anything, (metadata, intent, control) => {
        try {
          admitCreate(JSON.parse(JSON.stringify({ metadata, spec: intent, control })), context);
        } catch (error) {
          expect(error).toBeInstanceOf(SetpointError);
        }
      }),
      { numRuns: 500 },
    );
    const causes = causesOf(() => admitCreate({ spec: { size: 1, values: { a: 4_711_815, b: ["canary"] } } }, context));
    expect(causes.map((cause) => cause.field)).toEqual(["spec.values.a", "spec.values.b"]);
    expect(JSON.stringify(causes)).not.toMatch(/4711815|canary/);
  });

  it("keeps no copy of a secret where kubectl puts one", () => {
    const key = "kubectl.kubernetes.io/last-applied-configuration";
    const applied = (text: string) =>
      stored({ metadata: { annotations: { [key]: text, other: "x" } }, spec: { size: 1 } }).metadata.annotations;
    const copy = JSON.stringify({ kind: "Thing", spec: { size: 1, values: { a: "canary" } } });
    expect(applied(copy)).toEqual({ other: "x", [key]: `${JSON.stringify({ kind: "Thing", spec: { size: 1, values: { a: "" } } })}\n` });
    expect(applied('canary: "not JSON"')).toEqual({ other: "x" });
  });

  it("of alternatives explains the one that was meant", () => {
    expect(causesOf(() => admitCreate({ spec: { size: 1, way: { htp: "x" } } }, context)).map((cause) => cause.field)[0]).toMatch(
      /^spec\.way/,
    );
  });

  it("keeps a pause's author while its reason and end stay, and dates a new one", () => {
    const resource = stored({ spec: { size: 1 }, control: { paused: { reason: "x" } } });
    expect(resource.control.paused).toEqual({ by: "me", reason: "x", since: "1970-01-01T00:00:00.000Z" });
    const later = { ...context, by: "you", now: 1_000 };
    const same = admitUpdate(resource, { spec: { size: 1 }, control: { paused: { reason: "x", by: "you" } } }, later);
    expect(same.control.paused?.by).toBe("me");
    const other = admitUpdate(resource, { spec: { size: 1 }, control: { paused: { reason: "y" } } }, later);
    expect(other.control.paused).toEqual({ by: "you", reason: "y", since: "1970-01-01T00:00:01.000Z" });
    expect(admitUpdate(resource, { spec: { size: 1 } }, later).control.paused?.reason).toBe("x");
  });

  it("takes owner references whole or not at all, and only one controller", () => {
    const owner = { apiVersion: "v1", kind: "K", name: "n", uid: "00000000-0000-4000-8000-000000000001" };
    const fields = (ownerReferences: JsonObject[]) =>
      causesOf(() => admitCreate({ metadata: { ownerReferences }, spec: { size: 1 } }, context)).map((c) => c.field);
    expect(fields([owner])).toEqual([]);
    for (const uid of [1, "u"]) expect(fields([{ ...owner, uid }])).toEqual(["metadata.ownerReferences[0].uid"]);
    expect(
      fields([
        { ...owner, controller: true },
        { ...owner, controller: true },
      ]),
    ).toEqual(["metadata.ownerReferences"]);
  });
});

describe("a merge patch", () => {
  it("does what RFC 7386 says, and never mutates", () => {
    expect(mergePatch({ a: "b", c: { d: "e", f: "g" } }, { a: "z", c: { f: null } })).toEqual({ a: "z", c: { d: "e" } });
    expect(mergePatch({ a: [1] }, { a: { b: { c: null } } })).toEqual({ a: { b: {} } });
    expect(mergePatch([1], { a: 1 })).toEqual({ a: 1 });
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const before = JSON.stringify(target);
        mergePatch(target as JsonObject, patch as JsonObject);
        expect(JSON.stringify(target)).toBe(before);
      }),
    );
  });
});
