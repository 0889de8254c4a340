import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock, toIso } from "@/lib/clock";
import { type Fixture, openFixture, WIDGETS } from "../testing/fixture";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

/** As many widgets as asked for, with reports as the engine writes them. */
async function fill(count: number): Promise<void> {
  const now = toIso(systemClock.now());
  await fixture.store.pool.query("truncate resource, claim");
  await fixture.store.pool.query(
    `insert into resource (uid, kind, namespace, name, slice, spec, control, status, labels, finalizers, observed_generation, state, reason, message, last_converged_at)
     select gen_random_uuid(), 'Widget', 'team-' || i % 7, 'widget-' || i, 'host/here', jsonb_build_object('size', i % 100, 'host', 'here', 'padding', repeat('x', 300)),
       jsonb_build_object('mode', case when i % 10 = 0 then 'DryRun' else 'Auto' end, 'deletionPolicy', 'Delete'),
       jsonb_build_object('observedGeneration', 1, 'conditions', '[]'::jsonb, 'attempts', 0, 'state', state, 'reason', 'R', 'message', repeat('m', 200), 'lastConvergedAt', $2::text),
       jsonb_build_object('team', 'team-' || i % 7), array['setpoint.dev/cleanup'], 1, state, 'R', repeat('m', 200), $2::timestamptz
     from (select i, (array['Converged','Converged','Converged','Drifted','BackingOff'])[1 + i % 5] as state from generate_series(1, $1) i) s`,
    [count, now],
  );
  await fixture.store.pool.query(
    "insert into worker (id, host, pid, role, version, started_at, expires_at) values ('w', 'here', 1, 'all', '1', now(), now() + interval '1 hour') on conflict do nothing",
  );
  await fixture.store.pool.query("insert into lease (slice, holder, epoch) values ('host/here', 'w', 1) on conflict do nothing");
  await fixture.store.pool.query("analyze resource");
}

const list = async (query: string) => (await fixture.call("GET", `/api/console/resources?${query}`)).body;

describe("the Resources page", () => {
  it("answers 10,000 objects, filtered, sorted and counted, well below 300 ms, in rows of at most 1 KB", async () => {
    await fill(10_000);
    const queries = [
      "",
      "state=Failed&state=BackingOff&sort=-createdAt&limit=200",
      "q=widget-99&sort=name",
      "label=team%3Dteam-3&drifted=false&sort=-lastConvergedAt&page=20",
    ];
    for (const query of queries) {
      // Other tests use the same two cores: the best of several runs is what the query costs.
      const end = systemClock.monotonic() + 20_000;
      let best = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 3 || (best >= 300 && systemClock.monotonic() < end); run++) {
        const before = systemClock.monotonic();
        await list(query);
        best = Math.min(best, systemClock.monotonic() - before);
      }
      expect([query, Math.round(best)]).toEqual([query, expect.toSatisfy((ms: number) => ms < 300)]);
    }
    const page = await list("limit=200");
    expect(page.total).toBe(10_000);
    expect(page.facets.state).toEqual({ Converged: 6_000, Drifted: 2_000, BackingOff: 2_000 });
    expect(Math.max(...page.rows.map((row: unknown) => JSON.stringify(row).length))).toBeLessThan(1_024);
  });

  it("finds what the parameters say and refuses what they cannot mean", async () => {
    await fill(70);
    expect((await list("q=WIDGET-7")).total).toBe(2);
    expect((await list("q=%25")).total).toBe(0);
    expect((await list("kind=widgets&namespace=team-1&namespace=team-2")).total).toBe(20);
    expect((await list("kind=Nothing")).total).toBe(0);
    expect((await list("state=Converged&mode=DryRun")).facets.mode).toEqual({ Auto: 35, DryRun: 7 });
    expect((await list("sort=-name&limit=1")).rows[0].name).toBe("widget-9");
    for (const query of ["state=Wrong", "mode=Wrong", "sort=spec", "page=0", "limit=1000", "label=%3D", "drifted=maybe", "q=%00"])
      expect([query, (await list(query)).code]).toEqual([query, 400]);
  });
});

describe("bulk actions", () => {
  const bulk = (body: object) => fixture.call("POST", "/api/console/bulk", body);

  it("act on what a filter finds while it finds as many as the person saw, each answered and audited by itself", async () => {
    await fill(20);
    const refused = await bulk({ action: "pause", query: "namespace=team-1", expectedCount: 4, reason: "window" });
    expect([refused.status, refused.body.reason]).toEqual([409, "Conflict"]);
    const { status, body } = await bulk({ action: "pause", query: "namespace=team-1", expectedCount: 3, reason: "window" });
    expect([status, body.results.length]).toEqual([200, 3]);
    expect(body.results.every((result: { ok: boolean; message: string }) => result.ok && result.message === "paused")).toBe(true);
    expect((await list("state=Paused")).total).toBe(3);
    const audited = (await fixture.audit()).filter((row) => row.verb === "control");
    expect(audited).toHaveLength(3);
    const uids = body.results.map((result: { uid: string }) => result.uid);
    const looked = await bulk({ action: "reconcile", uids: [...uids, randomUUID()] });
    expect(looked.body.results.map((result: { ok: boolean }) => result.ok)).toEqual([false, false, false, false]);
    expect(looked.body.results[0].message).toContain("paused by bootstrap-token: window");
    const resumed = await bulk({ action: "resume", uids });
    expect(resumed.body.results.map((result: { message: string }) => result.message)).toEqual(["resumed", "resumed", "resumed"]);
  });

  it.each([
    [{ action: "pause", uids: [randomUUID()] }, "reason"],
    [{ action: "resume" }, "uids"],
    [{ action: "resume", query: "" }, "expectedCount"],
    [{ action: "destroy", uids: [randomUUID()] }, "action"],
    [{ action: "resume", uids: ["x"] }, "uids[0]"],
    [{ action: "pause", uids: [randomUUID()], reason: "x", until: "yesterday" }, "until"],
  ])("refuse %j, naming %s", async (body, field) => {
    const answer = await bulk(body);
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map((cause: { field: string }) => cause.field)).toContain(field);
  });
});

describe("the Overview and Controllers pages", () => {
  it("count states, passes and convergence, and list what needs attention", async () => {
    await fill(20);
    const { pool } = fixture.store;
    const { rows } = await pool.query("select uid from resource limit 1");
    for (const outcome of ["failed", "corrected", "converged"])
      await pool.query(
        "insert into pass (uid, kind, namespace, name, generation, started_at, duration_ms, trigger, outcome, reason, message, attempt) values ($1,'Widget','n','x',1,now(),5,'t',$2,'r','m',0)",
        [rows[0].uid, outcome],
      );
    await pool.query(
      "insert into revision (uid, generation, spec, message, author, at, converged_at) values ($1, 7, '{}', '', 'a', now() - interval '3 s', now())",
      [rows[0].uid],
    );
    const { body } = await fixture.call("GET", "/api/console/overview?range=1h");
    expect(body).toMatchObject({ total: 20, passes: { total: 3, failed: 1 }, timeToConverge: { count: 1, p50: 3_000 } });
    expect(body.states).toMatchObject({ Converged: 12, Drifted: 4, BackingOff: 4, Failed: 0 });
    expect(body.attention[0].state).toBe("BackingOff");
    expect(body.trend).toHaveLength(60);
    // By now another minute may have begun: in which bucket they are is the clock's affair.
    const counted = (outcome: "corrected" | "failed" | "converged") =>
      body.trend.slice(-2).reduce((sum: number, bucket: Record<typeof outcome, number>) => sum + bucket[outcome], 0);
    expect([counted("corrected"), counted("failed"), counted("converged")]).toEqual([1, 1, 1]);
    expect(body.byKind[0]).toMatchObject({ kind: "Widget", total: 20 });
    expect((await fixture.call("GET", "/api/console/overview?range=2h")).status).toBe(400);
  });

  it("pause and resume a whole kind, with its objects, and show workers and unowned slices", async () => {
    await fill(5);
    const silent = {
      target: "postgres:db:5432/ops",
      reason: "Unreachable",
      message: "refused",
      since: "2026-01-01T00:00:00.000Z",
      nextAttemptAt: "2026-01-01T00:01:00.000Z",
      waiting: 7,
    };
    await fixture.store.engine.renew({
      id: "w",
      host: "here",
      pid: 1,
      role: "all",
      version: "1",
      startedAt: systemClock.now(),
      ttlMs: 60_000,
      stats: { Widget: { queueDepth: 2, inFlight: 1, concurrency: 8, backlogAgeMs: 5, retrying: 1, looks: 9, targets: [silent] } },
      guest: false,
      looks: { oldest: {}, behind: {} },
      covers: [],
    });
    await fixture.create(WIDGETS, "far", { size: 1, host: "far" });
    const paused = await fixture.call("PUT", "/api/console/controllers/Widget/pause", { reason: "incident" });
    expect(paused.body).toMatchObject({ kind: "Widget", paused: { by: "bootstrap-token", reason: "incident" } });
    expect((await list("state=Paused")).total).toBe(5);
    expect((await fixture.call("GET", `${WIDGETS}/far`)).body.view.state).toBe("Paused");
    expect((await fixture.call("POST", `${WIDGETS}/far/reconcile`)).body.message).toContain("all objects of kind Widget are paused");
    const { body } = await fixture.call("GET", "/api/console/controllers");
    expect(body.controllers[0]).toMatchObject({ kind: "Widget", resources: 6, queueDepth: 2, looks: 9, paused: { reason: "incident" } });
    expect(body.controllers[0].targets).toEqual([silent]);
    expect(body.workers[0]).toMatchObject({ id: "w", alive: true, shards: 1_024, holdsHost: true });
    expect(body.shards).toEqual({ owned: 1_024, unowned: 0, lagging: 0 });
    expect(body.unowned).toContainEqual({ host: "far", resources: 1 });
    const { text, headers } = await fixture.call("GET", "/metrics");
    expect(headers.get("content-type")).toContain("text/plain; version=0.0.4");
    for (const line of [
      'setpoint_shards{state="owned"} 1024',
      'setpoint_unowned_resources{host="far"} 1',
      'setpoint_queue_depth{kind="Widget"} 2',
    ])
      expect(text.split("\n")).toContain(line);
    expect((await fixture.call("GET", "/metrics", undefined, { token: null })).status).toBe(401);
    expect((await fixture.call("DELETE", "/api/console/controllers/Widget/pause")).status).toBe(200);
    expect((await list("state=Paused")).total).toBe(0);
    expect((await fixture.call("PUT", "/api/console/controllers/Widget/pause", {})).status).toBe(422);
    expect((await fixture.call("PUT", "/api/console/controllers/Gadget/pause", { reason: "x" })).status).toBe(404);
  });

  it("describe kinds with a schema that forms can be made from", async () => {
    const { items } = (await fixture.call("GET", "/api/console/kinds")).body;
    expect(items[0]).toMatchObject({
      name: "Widget",
      hostBound: true,
      immutable: ["fixed", "host"],
      schema: { type: "object", required: ["size"] },
    });
  });
});
