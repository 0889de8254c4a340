/** Several workers on one PostgreSQL: who holds what, who looks, and what is said of what nobody looks at. */
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { freshnessFrom } from "@/lib/api";
import { systemClock } from "@/lib/clock";
import { eventually, openTestStore } from "@/lib/conformance/store";
import { type AnyController, hostOf, sliceOf } from "@/lib/controller";
import { Engine } from "@/lib/engine";
import { compareField, DEFAULT_CONTROL, FINALIZER, type Resource } from "@/lib/resource";
import type { EngineStore } from "@/lib/store";
import type { PageQuery } from "@/lib/store/console";
import type { Store } from "@/lib/store/prisma";

const TTL_MS = 15_000;
const SHARDS = 1_024;

/** Looks at things, kept so that a second look at the same thing by another worker at the same time is seen. */
class Looks {
  readonly overlaps: string[] = [];
  readonly by = new Map<string, Set<string>>();
  private readonly now = new Map<string, string>();

  async look(worker: string, uid: string): Promise<void> {
    const other = this.now.get(uid);
    if (other !== undefined && other !== worker) this.overlaps.push(`${uid}: ${worker} while ${other}`);
    this.now.set(uid, worker);
    await systemClock.sleep(2);
    this.now.delete(uid);
    this.by.set(worker, (this.by.get(worker) ?? new Set()).add(uid));
  }

  forget(): void {
    this.by.clear();
  }
}

function controllerOf(worker: string, looks: Looks, hostBound: boolean): AnyController {
  return {
    kind: {
      name: "Item",
      plural: "items",
      singular: "item",
      description: "A thing that is as it should be.",
      schema: z.strictObject({ value: z.string(), host: z.string() }),
      columns: [],
      example: { value: "a", host: "a" },
      resyncMs: 500,
      concurrency: 32,
      hostBound,
    },
    async observe(resource: Resource) {
      await looks.look(worker, resource.metadata.uid);
      return resource.spec.value;
    },
    plan: ({ resource, observed }) => ({ fields: [compareField("value", resource.spec.value, observed)], actions: [], conditions: [] }),
    apply: async () => undefined,
  };
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openWorld({ hostBound = false } = {}) {
  const store = await openTestStore();
  closers.push(() => store.close());
  const looks = new Looks();
  const start = async (id: string, { host = "one", ttlMs = TTL_MS, ports = store.engine } = {}) => {
    const engine = new Engine({
      store: ports,
      resources: store.resources,
      history: store.history,
      signal: store.signal,
      clock: systemClock,
      controllers: [controllerOf(id, looks, hostBound)],
      installation: store.installation,
      secret: async () => "",
      worker: { id, host, pid: process.pid, role: "worker", version: "test" },
      log: () => undefined,
      leaseTtlMs: ttlMs,
    });
    await engine.start();
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= engine.close();
      return closing;
    };
    closers.push(close);
    return { engine, close };
  };
  const create = (name: string, host = "one") => {
    const key = { kind: "Item", namespace: "default", name };
    const spec = { value: "a", host };
    return store.resources.create(
      {
        ...key,
        slice: sliceOf({ hostBound }, spec),
        labels: {},
        annotations: {},
        finalizers: [FINALIZER],
        ownerReferences: [],
        spec,
        control: DEFAULT_CONTROL,
      },
      { name: "test" },
      "",
      { actor: "test", verb: "create", ...key, outcome: "done" },
    );
  };
  return { store, looks, start, create };
}

/** Living holders of shards and how many each has; nobody is "". */
async function holders(store: Store): Promise<Record<string, number>> {
  const { rows } = await store.pool.query(
    `select coalesce(w.id, '') as id, count(*)::int as n from lease l left join worker w on w.id = l.holder and w.expires_at > clock_timestamp()
     where l.slice like 'shard/%' group by 1`,
  );
  return Object.fromEntries(rows.map(({ id, n }) => [id, n]));
}

const EVERYTHING: PageQuery = {
  ...{ kinds: [], namespaces: [], states: [], modes: [], labels: [] },
  ...{ staleAfterMs: { Item: 11_500 }, sort: "name", descending: false, offset: 0, limit: 1_000 },
};

/** What the list says of each object, and why. */
async function shown(store: Store): Promise<Record<string, { state: string; message: string }>> {
  const { items, leases, now } = await store.console.page(EVERYTHING);
  return Object.fromEntries(
    items.map(({ resource, state }) => {
      const lease = leases.find(({ slice }) => slice === resource.slice);
      return [resource.metadata.name, { state, message: freshnessFrom(resource, undefined, lease, now).message ?? "" }];
    }),
  );
}

describe("many workers", () => {
  it("share 1,024 shards equally from one to eight and back: each held by exactly one at every moment, no object looked at by two", async () => {
    const { store, looks, start, create } = await openWorld();
    const objects = await Promise.all(Array.from({ length: 200 }, (_, n) => create(`o${n}`)));
    const first = await start("w0");
    expect(await holders(store)).toEqual({ w0: SHARDS });

    const unowned: number[] = [];
    let watching = true;
    const watch = (async () => {
      while (watching) {
        unowned.push((await holders(store))[""] ?? 0);
        await systemClock.sleep(20);
      }
    })();
    const others = await Promise.all(Array.from({ length: 7 }, (_, n) => start(`w${n + 1}`)));
    await eventually(
      "an equal share each",
      async () => {
        const counts = Object.values(await holders(store));
        return counts.length === 8 && counts.every((count) => count >= 115 && count <= 141);
      },
      30_000,
    );
    looks.forget();
    await eventually("everything is looked at, by many", () => {
      const seen = new Set([...looks.by.values()].flatMap((uids) => [...uids]));
      return seen.size === objects.length && looks.by.size === 8;
    });
    await Promise.all(others.map(({ close }) => close()));
    expect(await holders(store)).toEqual({ w0: SHARDS });
    looks.forget();
    await eventually("one looks at everything again", () => looks.by.get("w0")?.size === objects.length, 20_000);
    watching = false;
    await watch;
    expect(Math.max(...unowned)).toBe(0);
    expect(looks.overlaps).toEqual([]);
    expect(first.engine.holds("shard/0")).toBe(true);
  });

  it("write no row but their heartbeat while there is nothing to do, and looks go on", async () => {
    const { store, looks, start, create } = await openWorld();
    for (let n = 0; n < 20; n++) await create(`o${n}`);
    await start("w0", { ttlMs: 9_000 });
    await start("w1", { ttlMs: 9_000 });
    await eventually(
      "shared out, loaded and converged",
      async () => {
        const { rows } = await store.pool.query(
          `select (select count(*)::int from lease where not covered) as moving, (select count(*)::int from resource where state <> 'Converged') as open`,
        );
        const { w0, w1 } = await holders(store);
        return w0 === SHARDS / 2 && w1 === SHARDS / 2 && rows[0].moving === 0 && rows[0].open === 0;
      },
      30_000,
    );
    const written = async () => {
      const { rows } = await store.pool.query(
        `select (select md5(string_agg(xmin::text || ctid::text, ',' order by slice)) from lease) as leases,
           (select md5(string_agg(xmin::text || ctid::text, ',' order by id)) from resource) as resources,
           (select string_agg(expires_at::text, ',' order by id) from worker) as beats`,
      );
      return rows[0];
    };
    const before = await written();
    looks.forget();
    await eventually("everything is looked at twice, with signs of life between", async () => {
      const seen = [...looks.by.values()].reduce((sum, uids) => sum + uids.size, 0);
      return seen >= 20 && (await written()).beats !== before.beats;
    });
    expect({ ...(await written()), beats: "" }).toEqual({ ...before, beats: "" });
  });

  it("take over from one that is gone, all of it; what nobody holds is Stale until then, with the reason", async () => {
    const { store, looks, start, create } = await openWorld();
    for (let n = 0; n < 20; n++) await create(`o${n}`);
    let gone = false;
    const never = () => new Promise<never>(() => undefined);
    // As if it had been stopped: its requests do not arrive any more, and it releases nothing.
    const ports: EngineStore = {
      ...store.engine,
      renew: (beat) => (gone ? never() : store.engine.renew(beat)),
      leave: async () => undefined,
    };
    const { engine } = await start("w0", { ttlMs: 1_500, ports });
    await eventually("all converged", async () => Object.values(await shown(store)).every(({ state }) => state === "Converged"));
    gone = true;
    const stale = await eventually("stale by arithmetic", async () => {
      const rows = Object.values(await shown(store));
      return rows.every(({ state }) => state === "Stale") ? rows : undefined;
    });
    expect(stale[0]?.message).toContain("No worker holds its shard");
    expect((await store.console.controllers()).shards).toEqual({ owned: 0, unowned: SHARDS, lagging: 0 });
    expect(engine.holds("shard/0")).toBe(false);

    looks.forget();
    await start("w1");
    expect(await holders(store)).toEqual({ w1: SHARDS });
    await eventually("fresh again", async () => Object.values(await shown(store)).every(({ state }) => state === "Converged"));
    await eventually("all of it", () => looks.by.get("w1")?.size === 20);
    expect(looks.by.has("w0")).toBe(false);
  });

  it("act on what is bound to a host only there, and a host without one makes its objects Stale for that reason alone", async () => {
    const { store, looks, start, create } = await openWorld({ hostBound: true });
    const near = await Promise.all([0, 1, 2].map((n) => create(`near${n}`, "near")));
    const far = await Promise.all([0, 1, 2].map((n) => create(`far${n}`, "far")));
    await start("w-near", { host: "near" });
    const { close } = await start("w-far", { host: "far" });
    await eventually("all converged", async () => Object.values(await shown(store)).every(({ state }) => state === "Converged"));
    const uids = (resources: Resource[]) => new Set(resources.map(({ metadata }) => metadata.uid));
    expect(looks.by).toEqual(
      new Map([
        ["w-near", uids(near)],
        ["w-far", uids(far)],
      ]),
    );
    await close();
    const rows = Object.entries(await shown(store));
    for (const [name, { state, message }] of rows) {
      const there = name.startsWith("near");
      expect([name, state]).toEqual([name, there ? "Converged" : "Stale"]);
      if (!there) expect(message).toContain("No worker on the host far is running");
    }
    const { unowned, shards } = await store.console.controllers();
    expect(unowned.map(({ slice }) => hostOf(slice))).toEqual(["far"]);
    expect(shards.unowned).toBe(0);
  });
});
