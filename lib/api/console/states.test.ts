import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock, toIso } from "@/lib/clock";
import { openTestStore } from "@/lib/conformance/store";
import { STATES, viewOf } from "@/lib/resource";
import type { PageQuery } from "@/lib/store/console";
import type { Store } from "@/lib/store/prisma";
import { freshnessFrom, staleAfterByKind } from "../freshness";
import { KINDS } from "../testing/fixture";

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

const HOUR = 3_600_000;
const EVERYTHING: PageQuery = {
  kinds: [],
  namespaces: [],
  states: [],
  modes: [],
  labels: [],
  staleAfterMs: staleAfterByKind(KINDS),
  sort: "name",
  descending: false,
  offset: 0,
  limit: 1_000,
};

/** A pause that is in force, over, without end, or none. */
const pause = fc.constantFrom(undefined, {}, { until: HOUR }, { until: -HOUR });
const state = fc.constantFrom(...STATES.filter((word) => word !== "Stale" && word !== "Paused"));
const rowOf = fc.record({
  kind: fc.constantFrom("Widget", "Vault"),
  host: fc.constantFrom("alive", "dead", "late", "moved", "free", "nowhere"),
  mode: fc.constantFrom("Auto", "DryRun", "Observe"),
  pause,
  status: fc.option(
    fc.record({
      state,
      behind: fc.boolean(),
      convergedAgo: fc.constantFrom(undefined, 1_000, HOUR),
      seenAgo: fc.constantFrom(undefined, HOUR),
    }),
  ),
  deleting: fc.boolean(),
});
type Row = typeof rowOf extends fc.Arbitrary<infer T> ? T : never;

const pauseJson = (value: { until?: number } | undefined, now: number) =>
  value && { by: "a", reason: "r", since: toIso(now), ...(value.until === undefined ? {} : { until: toIso(now + value.until) }) };

async function insert(rows: Row[], kindPause: { until?: number } | undefined): Promise<void> {
  const now = systemClock.now();
  const values = rows.map((row, index) => {
    const status = row.status && {
      observedGeneration: row.status.behind ? 0 : 1,
      conditions: [],
      attempts: 0,
      state: row.status.state,
      reason: "R",
      message: "m",
      ...(row.status.convergedAgo === undefined ? {} : { lastConvergedAt: toIso(now - row.status.convergedAgo) }),
      ...(row.status.seenAgo === undefined ? {} : { lastSeenAt: toIso(now - row.status.seenAgo) }),
    };
    const paused = pauseJson(row.pause, now);
    return {
      uid: randomUUID(),
      kind: row.kind,
      namespace: "default",
      name: `n${index}`,
      slice: row.kind === "Widget" ? `host/${row.host}` : "*",
      spec: row.kind === "Widget" ? { size: 1, host: row.host } : { values: {} },
      control: { mode: row.mode, deletionPolicy: "Delete", ...(paused ? { paused } : {}) },
      status: status ?? null,
      finalizers: ["a.b/c"],
      deletion_at: row.deleting ? toIso(now) : null,
      observed_generation: status?.observedGeneration ?? 0,
      state: status?.state ?? "Progressing",
      last_converged_at: status?.lastConvergedAt ?? null,
    };
  });
  await store.pool.query("truncate resource, claim, kind_control, worker; delete from lease where slice like 'host/%'");
  await store.pool.query(
    `insert into resource (uid, kind, namespace, name, slice, spec, control, status, finalizers, deletion_at, observed_generation, state, last_converged_at)
     select uid, kind, namespace, name, slice, spec, control, nullif(status, 'null'), finalizers, deletion_at, observed_generation, state, last_converged_at
     from jsonb_to_recordset($1::jsonb) as r(uid uuid, kind text, namespace text, name text, slice text, spec jsonb, control jsonb, status jsonb, finalizers text[],
       deletion_at timestamptz, observed_generation bigint, state text, last_converged_at timestamptz)`,
    [JSON.stringify(values)],
  );
  const recent = { Widget: toIso(now - 1_000), Vault: toIso(now - 1_000) };
  const old = { Widget: toIso(now - HOUR), Vault: toIso(now - HOUR) };
  // What workers publish, and the exceptions: `late` is behind, `moved` was handed over and is not covered yet.
  const behind = { "host/late": old };
  for (const [id, ms] of [
    ["w", HOUR],
    ["gone", -HOUR],
  ] as const)
    await store.pool.query(
      `insert into worker (id, host, pid, role, version, started_at, expires_at, looks, behind) values ($1, '', 0, '', '', now(), $2, $3, $4)`,
      [id, toIso(now + ms), recent, behind],
    );
  const leases: [string, string | null, boolean, object][] = [
    ["host/alive", "w", true, old],
    ["host/late", "w", true, recent],
    ["host/moved", "w", false, old],
    ["host/dead", "gone", true, recent],
    ["host/free", null, false, {}],
  ];
  await store.pool.query("update lease set holder = 'w', covered = true, epoch = 1");
  for (const [slice, holder, covered, looks] of leases)
    await store.pool.query("insert into lease (slice, holder, epoch, covered, looks) values ($1,$2,1,$3,$4)", [
      slice,
      holder,
      covered,
      looks,
    ]);
  const paused = pauseJson(kindPause, now);
  if (paused) await store.pool.query("insert into kind_control (kind, paused) values ('Vault', $1)", [paused]);
}

describe("the list over all kinds", () => {
  it("calls every object what the detail page calls it", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { minLength: 20, maxLength: 60 }), pause, async (rows, kindPause) => {
        await insert(rows, kindPause);
        const page = await store.console.page(EVERYTHING);
        expect(page.items).toHaveLength(rows.length);
        for (const { resource, state } of page.items) {
          const kind = KINDS.find((candidate) => candidate.name === resource.kind);
          const lease = page.leases.find((candidate) => candidate.slice === resource.slice);
          const freshness = freshnessFrom(resource, kind, lease, page.now);
          const view = viewOf(resource, freshness, page.now, { kindPaused: page.kindPauses[resource.kind] });
          expect([JSON.stringify(resource), state]).toEqual([JSON.stringify(resource), view.state]);
          seen.add(state);
        }
        const counted = page.facets.state;
        for (const state of STATES) expect(counted[state] ?? 0).toBe(page.items.filter((item) => item.state === state).length);
      }),
      { numRuns: 25 },
    );
    expect([...seen].sort()).toEqual([...STATES].sort());
  });

  it("counts each facet under the other filters, and pages what all filters leave", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowOf, { minLength: 30, maxLength: 60 }),
        fc.subarray(["Widget", "Vault"]),
        fc.subarray(["Auto", "DryRun"] as const),
        async (rows, kinds, modes) => {
          await insert(rows, undefined);
          const all = (await store.console.page(EVERYTHING)).items;
          const inKind = ({ resource }: (typeof all)[number]) => kinds.length === 0 || kinds.includes(resource.kind);
          const inMode = ({ resource }: (typeof all)[number]) => modes.length === 0 || modes.some((mode) => mode === resource.control.mode);
          const page = await store.console.page({ ...EVERYTHING, kinds, modes, limit: 7, offset: 3, sort: "createdAt", descending: true });
          const expected = all.filter((item) => inKind(item) && inMode(item));
          expect(page.total).toBe(expected.length);
          expect(page.items).toHaveLength(Math.max(0, Math.min(7, expected.length - 3)));
          expect(sum(page.facets.kind)).toBe(all.filter(inMode).length);
          expect(sum(page.facets.mode)).toBe(all.filter(inKind).length);
          expect(sum(page.facets.namespace)).toBe(expected.length);
          const matching = await store.console.matching({ ...EVERYTHING, kinds, modes }, 1_000);
          expect(matching.total).toBe(expected.length);
          expect(new Set(matching.uids)).toEqual(new Set(expected.map(({ resource }) => resource.metadata.uid)));
        },
      ),
      { numRuns: 10 },
    );
  });
});

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);
