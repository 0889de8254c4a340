import { z } from "zod";
import { type Controller, defineController, type Kind } from "@/lib/controller";

const schema = z.strictObject({
  values: z
    .record(z.string().regex(/^[A-Za-z0-9._-]{1,253}$/, "must be 1 to 253 letters, digits, '.', '_' or '-'"), z.string().max(65_536))
    .describe("Texts by key. Written, never read back: pages and API show a digest.")
    .meta({ title: "Values", secret: true }),
});
export type SecretSpec = z.infer<typeof schema>;

/** Name, schema and words of the kind. */
export const kind: Kind<SecretSpec> = {
  name: "Secret",
  plural: "secrets",
  singular: "secret",
  description: "Texts that other resources use and nobody sees: encrypted where they are stored, shown as a digest.",
  schema,
  columns: [{ name: "Keys", path: "status.observed.keys" }],
  example: { values: { password: "change-me" } },
  secretFields: ["values.*"],
  // There is nothing outside to look at.
  resyncMs: 300_000,
};

interface Observed {
  keys: string[];
}

/** The kind: nothing outside, so what is stored is what is. */
export default function secret(_providers: object): Controller<SecretSpec, Observed> {
  return defineController({
    kind,
    observe: async (resource) => ({ keys: Object.keys(resource.spec.values).sort() }),
    plan: ({ observed }) => ({ fields: [], actions: [], conditions: [], observed: { keys: [...observed.keys] } }),
    apply: async () => undefined,
  });
}
