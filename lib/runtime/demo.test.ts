import { afterAll, beforeAll, expect, it } from "vitest";
import configFile from "@/controllers/configfile";
import postgresRole from "@/controllers/postgresrole";
import postgresServer from "@/controllers/postgresserver";
import replicaSet from "@/controllers/replicaset";
import secret from "@/controllers/secret";
import { type Fixture, openFixture, TOKEN } from "@/lib/api/testing/fixture";
import { systemClock } from "@/lib/clock";
import { createFiles } from "@/lib/providers/files";
import { createPostgres } from "@/lib/providers/postgres";
import { createProcesses } from "@/lib/providers/processes";
import { loadDemo } from "./demo";

let fixture: Fixture;
beforeAll(async () => {
  // Nothing is looked at here: what the kinds would act on does not matter.
  const outside = { installation: "i", clock: systemClock, dataDir: "/nowhere", root: "/nowhere", allowExec: [] };
  const providers = { files: createFiles(outside), processes: createProcesses(outside), postgres: createPostgres(outside) };
  const controllers = [configFile, postgresRole, postgresServer, replicaSet, secret].map((factory) => factory(providers));
  fixture = await openFixture(
    undefined,
    controllers.map(({ kind }) => kind),
  );
});
afterAll(() => fixture.close());

it("the sample fleet is owned by who declared it, claims what it keeps outside, and is declared once", async () => {
  const api = {
    handle: (request: Request) =>
      fixture.api.handle(new Request(request, { headers: { ...Object.fromEntries(request.headers), authorization: `Bearer ${TOKEN}` } })),
  };
  const { resources } = fixture.store;
  await loadDemo({ hostName: "here" }, resources, api, { info: () => undefined });
  const revision = await resources.currentRevision();
  await loadDemo({ hostName: "here" }, resources, api, { info: () => undefined });
  expect(await resources.currentRevision()).toBe(revision);

  const { body } = await fixture.call("GET", "/apis/setpoint.dev/v1alpha1/configfiles");
  expect(body.items).toHaveLength(3);
  for (const { metadata } of body.items) {
    expect(metadata.managedFields).toMatchObject([{ manager: "demo", operation: "Update" }]);
    expect(metadata.managedFields[0].fieldsV1["f:spec"]).toHaveProperty("f:path");
  }
  const taken = { metadata: { name: "second" }, spec: { path: "etc/motd", content: "" } };
  const { status, body: refusal } = await fixture.call("POST", "/apis/setpoint.dev/v1alpha1/namespaces/default/configfiles", taken);
  expect([status, refusal.message]).toEqual([409, expect.stringContaining("motd")]);
});
