/** Workers and what they hold, as the functions of the shards migration have it. */
import type { Fence, Heartbeat, LeaseState, Renewal } from "..";
import type { LeaseRow, Tables } from "./tables";

/** The fence is that of the lease as it is now, and its holder's term has not ended. */
export function isHeld(tables: Tables, { slice, holder, epoch }: Fence): boolean {
  const lease = tables.leases.get(slice);
  return lease !== undefined && lease.holder === holder && String(lease.epoch) === epoch && isAlive(tables, holder);
}

function isAlive(tables: Tables, id: string | undefined): boolean {
  const worker = id === undefined ? undefined : tables.workers.get(id);
  return worker !== undefined && worker.expiresAt > tables.now;
}

export function renew(tables: Tables, beat: Heartbeat): Renewal {
  const { id, host, guest, looks } = beat;
  const joined = !tables.workers.has(id);
  // What is left of a term that ended gets a new epoch, so that nothing begun before can still be written.
  if (!joined && !isAlive(tables, id)) for (const [slice] of heldBy(tables, id)) move(tables, slice, id);
  tables.workers.set(id, { host, guest, looks, expiresAt: tables.now + beat.ttlMs });
  for (const { slice, epoch } of beat.covers) {
    const lease = tables.leases.get(slice);
    if (lease?.holder === id && String(lease.epoch) === epoch) lease.covered = true;
  }
  const share = guest ? Number.POSITIVE_INFINITY : Math.ceil(shards(tables).length / Math.max(1, living(tables).length));
  const isFree = (holder: string | undefined) => holder !== id && !isAlive(tables, holder);
  const free = shards(tables).filter(([, { holder }]) => isFree(holder));
  const takes = free.slice(0, Math.max(0, share - shardsOf(tables, id)));
  for (const [slice] of takes) move(tables, slice, id);
  const here = `host/${host}`;
  if (isFree(tables.leases.get(here)?.holder)) move(tables, here, id);
  if ((joined && !guest) || (living(tables).length > 1 && free.length > takes.length)) tables.noteMove();
  const terms = [...tables.workers].filter(([other]) => other !== id && isAlive(tables, other) && heldBy(tables, other).length > 0);
  return {
    ...(terms.length === 0 ? {} : { lapseMs: Math.min(...terms.map(([, { expiresAt }]) => expiresAt)) - tables.now }),
    leases: heldBy(tables, id).map(([slice, { epoch }]) => ({ slice, holder: id, epoch: String(epoch) })),
    surplus: guest ? 0 : surplusOf(tables, id, share),
  };
}

function surplusOf(tables: Tables, id: string, share: number): number {
  const mine = shardsOf(tables, id);
  const others = living(tables).filter((other) => other !== id);
  if (mine <= share || others.length === 0) return 0;
  const equal = Math.floor(shards(tables).length / (others.length + 1));
  const held = others.map((other) => shardsOf(tables, other));
  const room = held.reduce((sum, count) => sum + Math.max(0, equal - count), 0);
  return Math.min(...held) < 0.9 * equal ? Math.min(mine - share, room) : 0;
}

export function handOver(tables: Tables, id: string, offered: string[]): string[] {
  const others = living(tables).filter((other) => other !== id);
  const equal = Math.floor(shards(tables).length / (others.length + 1));
  return place(
    tables,
    offered.filter((slice) => tables.leases.get(slice)?.holder === id),
    others,
    equal,
  );
}

export function leave(tables: Tables, id: string): void {
  const others = living(tables).filter((other) => other !== id);
  const own = heldBy(tables, id).map(([slice]) => slice);
  const placed = place(
    tables,
    own.filter((slice) => slice.startsWith("shard/")),
    others,
    Math.ceil(shards(tables).length / Math.max(1, others.length)),
  );
  for (const slice of own) {
    if (placed.includes(slice)) continue;
    move(
      tables,
      slice,
      others.find((other) => slice === `host/${tables.workers.get(other)?.host}`),
    );
  }
  const worker = tables.workers.get(id);
  if (worker) worker.expiresAt = tables.now;
  tables.noteMove();
}

/** The emptiest first, each up to `equal`. */
function place(tables: Tables, offered: string[], others: string[], equal: number): string[] {
  const places = others
    .flatMap((id) => Array.from({ length: Math.max(0, equal - shardsOf(tables, id)) }, (_, n) => ({ id, n: shardsOf(tables, id) + n })))
    .sort((a, b) => a.n - b.n || (a.id < b.id ? -1 : 1));
  const given = offered.slice(0, places.length);
  given.forEach((slice, index) => {
    move(tables, slice, places[index]?.id);
  });
  if (given.length > 0) tables.noteMove();
  return given;
}

/** The one way in which a lease changes hands: what is known of its looks is kept, so that nothing looks fresher than it is. */
function move(tables: Tables, slice: string, holder: string | undefined): void {
  const lease = tables.leases.get(slice);
  tables.leases.set(slice, { holder, epoch: (lease?.epoch ?? 0) + 1, covered: false, looks: lease ? looksOf(tables, slice, lease) : {} });
}

function looksOf(tables: Tables, slice: string, { holder, covered, looks: known }: LeaseRow): Record<string, string> {
  const published = holder === undefined ? undefined : tables.workers.get(holder)?.looks;
  if (!covered || !published) return known;
  const looks = { ...published.oldest };
  for (const [kind, seen] of Object.entries(published.behind[slice] ?? {})) {
    const look = seen ?? known[kind];
    if (look === undefined) delete looks[kind];
    else looks[kind] = look;
  }
  return looks;
}

export function leases(tables: Tables): LeaseState[] {
  return [...tables.leases].map(([slice, lease]) => ({
    slice,
    alive: isAlive(tables, lease.holder),
    looks: looksOf(tables, slice, lease),
    ...(lease.holder === undefined ? {} : { holder: lease.holder }),
  }));
}

const shards = (tables: Tables) => [...tables.leases].filter(([slice]) => slice.startsWith("shard/"));
const heldBy = (tables: Tables, id: string) => [...tables.leases].filter(([, { holder }]) => holder === id);
const shardsOf = (tables: Tables, id: string) => heldBy(tables, id).filter(([slice]) => slice.startsWith("shard/")).length;
const living = (tables: Tables) => [...tables.workers].filter(([id, { guest }]) => !guest && isAlive(tables, id)).map(([id]) => id);
