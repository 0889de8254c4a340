import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "@/lib/resource";
import { pathText } from "../document";
import { branchOf, checkValue, type SchemaFault } from "./check";
import { blankValue, effectiveDefaults, inSchemaOrder, nodeAt } from "./defaults";
import { intentSchema } from "./intent";
import { readSchema } from "./node";
import { digestOf, isKeptSecret, isSecretPath, secretPaths, withBlankSecrets, withoutSecrets } from "./secrets";

const zodSpec = z.strictObject({
  replicas: z
    .int()
    .min(0)
    .max(50)
    .default(1)
    .meta({ title: "Replicas", examples: [2] }),
  template: z.strictObject({
    command: z.array(z.string().min(1).max(20)).min(1).max(4),
    env: z.record(z.string().regex(/^[A-Z_]+$/), z.string()).default({}),
    grace: z.number().min(0).optional(),
  }),
  probe: z
    .union([
      z.strictObject({ http: z.strictObject({ port: z.int().min(1) }) }),
      z.strictObject({ tcp: z.strictObject({ port: z.int().min(1) }) }),
    ])
    .optional(),
  tls: z.enum(["off", "verify"]).optional(),
  note: z.string().nullable().optional(),
  on: z.boolean().optional(),
});
const schema = JSON.parse(JSON.stringify(z.toJSONSchema(zodSpec, { target: "draft-7", io: "input" }))) as JsonObject;
const node = readSchema(schema);
const messages = (faults: SchemaFault[]) => faults.map((fault) => `${pathText(fault.path)} ${fault.message}`);

const part = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    "x",
    "",
    0,
    2,
    -1,
    1.5,
    99,
    [],
    {},
    ["a"],
    [1],
    { PORT: "1" },
    { port: 0 },
    { http: { port: 1 } },
    { tcp: {} },
    "off",
  ),
);
const candidate = fc.record(
  {
    replicas: part,
    template: fc.oneof(part, fc.record({ command: part, env: part, grace: part }, { requiredKeys: [] })),
    probe: part,
    tls: part,
    note: part,
    on: part,
    unknown: part,
  },
  { requiredKeys: [] },
);

describe("the check in the browser", () => {
  it("accepts exactly what the server's schema accepts", () => {
    fc.assert(
      fc.property(candidate, (value) => {
        expect(checkValue(node, value as Json).length === 0).toBe(zodSpec.safeParse(value).success);
      }),
      { numRuns: 500 },
    );
  });

  it("names the field and says what to do", () => {
    const faults = checkValue(node, { replica: 1, replicas: 51, template: { command: [], env: { PORT: 80, "a-b": "x" } }, tls: "on" });
    expect(messages(faults)).toEqual([
      "replica is not a known field; did you mean replicas?",
      "replicas must be at most 50",
      "template.command must not be empty",
      "template.env.PORT must be a text, not a number (put it in quotes)",
      "template.env.a-b the name must match ^[A-Z_]+$",
      "tls must be one of off, verify",
    ]);
  });

  it("explains a union by the branch that was meant", () => {
    expect(messages(checkValue(node, { template: { command: ["a"] }, probe: { tcp: { port: 0 } } }))).toEqual([
      "probe.tcp.port must be at least 1",
    ]);
  });

  it("calls an empty field required rather than of the wrong type", () => {
    expect(messages(checkValue(node, { template: null }))).toEqual(["template is required"]);
  });

  it("never throws, whatever the schema and the value are", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (anySchema, value) => {
        const any = readSchema(anySchema as Json);
        checkValue(any, value as Json);
        blankValue(any);
        effectiveDefaults(any, value as Json);
      }),
    );
  });

  it("follows references, also those that never end", () => {
    const tree = z.strictObject({
      name: z.string(),
      get children(): z.ZodOptional<z.ZodArray<typeof tree>> {
        return z.array(tree).optional();
      },
    });
    const read = readSchema(JSON.parse(JSON.stringify(z.toJSONSchema(tree, { target: "draft-7", io: "input" }))));
    expect(messages(checkValue(read, { name: "a", children: [{ name: 1 }] }))).toEqual([
      "children[0].name must be a text, not a number (put it in quotes)",
    ]);
  });
});

describe("a value to start from", () => {
  it("takes the default, else the least that is asked for", () => {
    expect(blankValue(node)).toEqual({ template: { command: [""] } });
    const probe = node.type === "object" ? node.properties.find((property) => property.key === "probe")?.node : undefined;
    expect(probe && blankValue(probe)).toEqual({ http: { port: 1 } });
  });

  it("the defaults that will be filled in are listed, and only those that are absent", () => {
    const absent = effectiveDefaults(node, { template: { command: ["a"] } });
    expect(absent.map((entry) => `${pathText(entry.path)}=${JSON.stringify(entry.value)}`)).toEqual(["replicas=1", "template.env={}"]);
    expect(effectiveDefaults(node, { replicas: 3, template: { command: ["a"], env: {} } })).toEqual([]);
  });

  it("a stored value is read in the schema's order, and nothing of it is lost", () => {
    const stored = { template: { env: {}, command: ["a"] }, strange: 1, replicas: 2 };
    expect(JSON.stringify(inSchemaOrder(node, stored))).toBe('{"replicas":2,"template":{"command":["a"],"env":{}},"strange":1}');
    fc.assert(
      fc.property(candidate, (value) => {
        expect(inSchemaOrder(node, value as Json)).toEqual(value);
      }),
    );
  });

  it("the schema is found for any place, through the branch that the value takes", () => {
    const value = { template: { command: ["a"] }, probe: { tcp: { port: 1 } } };
    expect(nodeAt(node, ["probe", "tcp", "port"], value)?.type).toBe("number");
    expect(nodeAt(node, ["template", "env", "PORT"], value)?.type).toBe("text");
    expect(nodeAt(node, ["nothing", "here"], value)).toBeUndefined();
    const probe = nodeAt(node, ["probe"], {});
    expect(probe?.type === "union" && branchOf(probe, { tcp: { port: 5 } })).toBe(1);
  });
});

describe("the document as a whole", () => {
  const whole = intentSchema({ name: "ReplicaSet", schema }, "create");
  it("checks names and labels with the server's own rules", () => {
    const value = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "ReplicaSet",
      metadata: { name: "Web_1", namespace: "default", labels: { "a b": "c", tier: "ä" } },
      spec: { template: { command: ["x"] } },
    };
    expect(checkValue(whole, value).map((fault) => pathText(fault.path))).toEqual([
      "metadata.name",
      'metadata.labels["a b"]',
      "metadata.labels.tier",
    ]);
  });

  it("has control at creation only", () => {
    const value = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "ReplicaSet",
      metadata: { name: "a" },
      control: {},
      spec: { template: { command: ["x"] } },
    };
    expect(checkValue(whole, value)).toEqual([]);
    expect(messages(checkValue(intentSchema({ name: "ReplicaSet", schema }, "edit"), value))).toEqual(["control is not a known field"]);
  });
});

describe("secret fields", () => {
  const patterns = ["values.*"];
  const stored = { spec: { values: { a: { digest: "sha256:1" }, b: { digest: "sha256:2" } } } };

  it("are told by pattern", () => {
    expect(isSecretPath(patterns, ["spec", "values", "a"])).toBe(true);
    expect(isSecretPath(patterns, ["spec", "values"])).toBe(false);
    expect(isSecretPath(patterns, ["metadata", "values", "a"])).toBe(false);
    expect(secretPaths(patterns, stored)).toEqual([
      ["spec", "values", "a"],
      ["spec", "values", "b"],
    ]);
  });

  it("pass when they are the stored digest, and only then", () => {
    const edited = { spec: { values: { a: { digest: "sha256:1" }, b: { digest: "sha256:9" }, c: "new" } } };
    const kept = ["a", "b", "c"].map((key) => isKeptSecret(patterns, stored, edited, ["spec", "values", key]));
    expect(kept).toEqual([true, false, false]);
    expect(digestOf({ digest: "sha256:1", more: 1 })).toBeUndefined();
  });

  it("of an example are emptied, so that nobody saves them by accident", () => {
    expect(withBlankSecrets(patterns, { values: { a: "change-me" }, note: "n" })).toEqual({ values: { a: "" }, note: "n" });
  });

  it("never stay in what is kept as a draft", () => {
    const edited = { spec: { values: { a: "typed over", b: { digest: "sha256:2" }, c: "new" } } };
    expect(withoutSecrets(patterns, stored, edited)).toEqual({ spec: { values: stored.spec.values } });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ minLength: 12 })), (values) => {
        const left = JSON.stringify(withoutSecrets(patterns, undefined, { spec: { values } }));
        for (const value of Object.values(values)) expect(left).not.toContain(JSON.stringify(value));
      }),
    );
  });
});
