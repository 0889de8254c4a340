import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import { BASE, type Fixture, openFixture, VAULTS, WIDGETS } from "./testing/fixture";

/** The name of everything in the other team's namespace: it may turn up nowhere. */
const CANARY = "canary";
const OURS = WIDGETS.replace("/default/", "/ours/");
const THEIRS = WIDGETS.replace("/default/", "/theirs/");

let fixture: Fixture;
let token: string;
let theirUid: string;

beforeAll(async () => {
  fixture = await openFixture();
  const account = { namespace: "ours", name: "member" };
  await fixture.call("POST", "/api/console/serviceaccounts", account);
  await fixture.call("POST", "/api/console/bindings", {
    role: "operator",
    namespace: "ours",
    subject: { kind: "ServiceAccount", ...account },
  });
  token = (await fixture.call("POST", "/api/console/tokens", { name: "t", serviceAccount: account })).body.token;
  await fixture.create(OURS, "visible", { size: 1 });
  const { body } = await fixture.create(
    THEIRS,
    CANARY,
    { size: 1 },
    { control: { paused: { reason: CANARY, until: "2099-01-01T00:00:00Z" } } },
  );
  theirUid = body.metadata.uid;
  await fixture.store.pool.query(
    `insert into event (uid, kind, namespace, name, generation, type, reason, message, first_at, last_at)
     values ($1, 'Widget', 'theirs', $2, 1, 'Normal', 'Created', $2, now(), now())`,
    [theirUid, CANARY],
  );
  await fixture.create(VAULTS.replace("/default/", "/theirs/"), CANARY, { values: { a: "b" } });
  await fixture.call("PATCH", `${THEIRS}/${CANARY}/control`, {
    paused: { reason: CANARY, until: new Date(Date.parse(body.metadata.creationTimestamp) + 3_600_000).toISOString() },
  });
});
afterAll(() => fixture.close());

const ask = (method: string, path: string, sent?: unknown) => fixture.call(method, path, sent, { token });

describe("who may see one namespace", () => {
  it.each([
    "/api/console/resources",
    `/api/console/resources?q=${CANARY}`,
    "/api/console/resources?namespace=theirs",
    "/api/console/resources?sort=-createdAt&limit=200",
    "/api/console/overview",
    "/api/console/overview?range=1h",
    "/api/console/kinds",
    "/api/console/me",
    "/apis/setpoint.dev/v1alpha1",
    "/api/v1/namespaces",
    "/api/v1/events",
    "/api/v1/namespaces/theirs/events",
    OURS,
  ])("gets no trace of another from %s", async (path) => {
    const answer = await ask("GET", path);
    expect(answer.status).toBe(200);
    // A search gives back no word that was searched for.
    expect(answer.text).not.toContain(CANARY);
    expect(answer.text).not.toContain("theirs");
    expect((await fixture.call("GET", path)).status).toBe(200);
  });

  it("is not told when something happens in another: the version of a list of events is of those that it shows", async () => {
    const happens = (namespace: string, lastAt: string) =>
      fixture.store.pool.query(
        `insert into event (uid, kind, namespace, name, generation, type, reason, message, count, first_at, last_at)
         values (gen_random_uuid(), 'Widget', $1, 'w', 1, 'Normal', 'Converged', 'm', 1, $2, $2)`,
        [namespace, lastAt],
      );
    const version = async (path: string) => (await ask("GET", path)).body.metadata.resourceVersion;
    const paths = ["/api/v1/events", "/api/v1/namespaces/ours/events"];
    await happens("ours", "2026-01-01T00:00:01Z");
    const before = await Promise.all(paths.map(version));
    expect(before).toEqual(paths.map(() => String(Date.parse("2026-01-01T00:00:01Z"))));
    await happens("theirs", "2026-01-01T00:00:05Z");
    expect(await Promise.all(paths.map(version))).toEqual(before);
    await fixture.store.pool.query("delete from event");
  });

  it("gets numbers of that one alone", async () => {
    const { body: page } = await ask("GET", "/api/console/resources");
    expect([page.total, page.facets.namespace, page.facets.kind]).toEqual([1, { ours: 1 }, { Widget: 1 }]);
    const { body: overview } = await ask("GET", "/api/console/overview");
    expect([overview.total, overview.pausesEnding]).toEqual([1, []]);
    expect(overview.recent.map((entry: { name: string }) => entry.name)).toEqual(["visible"]);
    const { body: all } = await fixture.call("GET", "/api/console/overview");
    expect([all.total, all.pausesEnding.length]).toEqual([3, 1]);
  });

  it("is refused lists over all, and everything of the installation", async () => {
    for (const path of [
      "/apis/setpoint.dev/v1alpha1/widgets",
      "/apis/setpoint.dev/v1alpha1/widgets?watch=true",
      "/api/console/controllers",
    ])
      expect([path, (await ask("GET", path)).status]).toEqual([path, 403]);
    for (const page of ["users", "serviceaccounts", "roles", "bindings"])
      expect([page, (await ask("GET", `/api/console/${page}`)).status]).toEqual([page, 403]);
    expect((await ask("PUT", "/api/console/controllers/Widget/pause", { reason: "x" })).status).toBe(403);
  });

  it("is told by a review exactly what it may, and no namespace that is not its own", async () => {
    const mayI = async (verb: string, namespace: string) => {
      const spec = { resourceAttributes: { group: "setpoint.dev", resource: "widgets", verb, namespace } };
      return (await ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec })).body.status.allowed;
    };
    for (const [verb, method, path, sent] of [
      ["get", "GET", "/visible", undefined],
      ["list", "GET", "", undefined],
      ["patch", "PATCH", "/visible?dryRun=All", { spec: { size: 2 } }],
      ["deletecollection", "DELETE", "?dryRun=All&labelSelector=none=none", undefined],
    ] as const)
      for (const [namespace, collection] of [
        ["ours", OURS],
        ["theirs", THEIRS],
      ] as const)
        expect([verb, namespace, await mayI(verb, namespace)]).toEqual([
          verb,
          namespace,
          (await ask(method, collection + path, sent)).status < 300,
        ]);
    const absent = await ask("GET", "/api/v1/namespaces/absent");
    expect((await ask("GET", "/api/v1/namespaces/theirs")).text.replaceAll("theirs", "absent")).toBe(absent.text);
    expect(absent.status).toBe(404);
  });

  it("cannot tell what is there from what is not, whatever is asked", async () => {
    const shapes: [string, string, unknown][] = [
      ["GET", "", undefined],
      ["PUT", "", { metadata: { resourceVersion: "1" }, spec: { size: 1 } }],
      ["PATCH", "", { spec: { size: 1 } }],
      ["DELETE", "", undefined],
      ["GET", "/plan", undefined],
      ["POST", "/plan", { spec: { size: 1 } }],
      ["GET", "/control", undefined],
      ["PATCH", "/control", { paused: null }],
      ["POST", "/reconcile", {}],
      ["GET", "/revisions", undefined],
      ["GET", "/events", undefined],
      ["GET", "/passes", undefined],
    ];
    for (const [method, part, sent] of shapes) {
      const [there, absent] = [await ask(method, `${THEIRS}/${CANARY}${part}`, sent), await ask(method, `${THEIRS}/nothing${part}`, sent)];
      expect([method, part, there.status]).toEqual([method, part, 403]);
      expect(there.text.replaceAll(CANARY, "nothing")).toBe(absent.text);
    }
  });

  it("acts on many only where it may, and gets the answer for absent ones elsewhere", async () => {
    const absent = "00000000-0000-4000-8000-000000000000";
    const { body } = await ask("POST", "/api/console/bulk", { action: "reconcile", uids: [theirUid, absent] });
    expect(body.results.map(({ uid: _uid, ...rest }: { uid: string }) => rest)).toEqual(
      [body.results[0], body.results[0]].map(({ uid: _uid, ...rest }) => rest),
    );
    expect(body.results[0]).toMatchObject({ ok: false, name: "", namespace: "" });
    const counted = await ask("POST", "/api/console/bulk", { action: "pause", reason: "x", query: "", expectedCount: 1 });
    expect(counted.body.results).toMatchObject([{ name: "visible", ok: true }]);
  });

  it("is told of its own changes only, and no longer once the right has gone", async () => {
    const leave = new AbortController();
    const response = await fixture.api.handle(
      new Request(`${BASE}/api/console/stream`, { headers: { authorization: `Bearer ${token}` }, signal: leave.signal }),
    );
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = (word: string) =>
      eventually(word, async () => {
        text += (await reader?.read())?.value ?? "";
        return text.includes(word);
      });
    await until("hello");
    await fixture.call("PATCH", `${THEIRS}/${CANARY}`, { spec: { size: 7 } });
    await fixture.call("PATCH", `${OURS}/visible`, { spec: { size: 7 } });
    await until('"name":"visible"');
    leave.abort();
    expect(text).not.toContain(CANARY);
  });
});
