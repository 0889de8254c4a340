/** A real kube-apiserver's answers, and ours to the same requests: what differs does so on purpose, for a reason that is written down. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { defineKind } from "@/lib/controller";
import { type Fixture, openFixture, WIDGETS } from "../testing/fixture";
import { DIFFERENCES } from "./differences";
import { compared, type Recorded, send, Translation } from "./replay";

/** The custom resource that the answers were recorded with. */
const widget = defineKind({
  name: "Widget",
  plural: "widgets",
  singular: "widget",
  shortNames: ["wd"],
  description: "A thing that there are some of.",
  schema: z.strictObject({
    replicas: z.int().min(0).max(100),
    owner: z.enum(["bob", "eve"]).optional(),
    mode: z.string().default("auto"),
    ports: z
      .array(z.strictObject({ name: z.string(), port: z.int() }))
      .optional()
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
  }),
  columns: [
    { name: "Ready", path: "status.ready" },
    { name: "Replicas", path: "spec.replicas" },
    { name: "Owner", path: "spec.owner", priority: 1 },
  ],
  example: { replicas: 1 },
  scale: { replicas: "replicas", observed: "status.observed.replicas" },
});

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture(undefined, [widget]);
});
afterAll(() => fixture.close());

/** What the recording did before a request without recording it. */
async function before(name: string): Promise<void> {
  if (name !== "watch from rv") return;
  const w1 = `${WIDGETS}/w1`;
  await fixture.create(WIDGETS, "w1", { replicas: 1 }, { metadata: { name: "w1", labels: { t: "1" } } });
  await withoutTheEnginesFinalizer();
  await fixture.call("PATCH", w1, { spec: { replicas: 2 } });
  await fixture.call("PATCH", w1, { metadata: { labels: { t: null } } });
  await fixture.call("DELETE", w1);
}

/** Brings both to the same objects again, where an answer differed on purpose. */
async function after(name: string): Promise<void> {
  await withoutTheEnginesFinalizer();
  if (name === "create yaml body") await fixture.call("DELETE", `${WIDGETS}/y`);
  if (name === "create in missing ns") await fixture.call("DELETE", `${WIDGETS.replace("default", "nons")}/b`);
  if (name === "create unknown field (pruned)") await fixture.create(WIDGETS, "u", { replicas: 1 });
  await withoutTheEnginesFinalizer();
}

/** No engine runs here and nothing is outside: every object is as if it had let go of it, without anybody seeing a change. */
async function withoutTheEnginesFinalizer(): Promise<void> {
  await fixture.store.pool.query(
    `alter table resource disable trigger user; update resource set finalizers = array_remove(finalizers, 'setpoint.dev/cleanup');
     alter table resource enable trigger user`,
  );
}

it("answers as a kube-apiserver does, but for what is written down", { timeout: 120_000 }, async () => {
  const lines = (await readFile(path.join(import.meta.dirname, "kube-apiserver-1.20.2.jsonl"), "utf8")).trim().split("\n");
  const recorded: Recorded[] = lines.map((line) => JSON.parse(line));
  const translation = new Translation();
  const found: Record<string, unknown> = {};
  for (const each of recorded) {
    await before(each.name);
    const answer = await send(fixture, each, translation);
    await after(each.name);
    translation.learn(each.response.body, answer.body);
    const [theirs, ours] = [compared(each.response), compared(answer)];
    if (JSON.stringify(theirs) !== JSON.stringify(ours)) found[each.name] = { theirs, ours };
  }
  expect(recorded.length).toBe(131);
  process.stdout.write(
    `${Object.entries(DIFFERENCES)
      .map(([name, why]) => `differs on purpose: ${name}: ${why}`)
      .join("\n")}\n`,
  );
  const surprises = Object.entries(found).filter(([name]) => !Object.hasOwn(DIFFERENCES, name));
  expect(surprises).toEqual([]);
  // A difference that is none any more is to be struck out.
  expect(Object.keys(DIFFERENCES).filter((name) => !Object.hasOwn(found, name))).toEqual([]);
});
