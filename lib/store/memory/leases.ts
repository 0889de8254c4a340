import type { Fence, LeaseState } from "..";
import type { Tables } from "./tables";

/** The fence is that of the lease as it is now, and its term has not ended. */
export function isHeld(tables: Tables, { slice, holder, epoch }: Fence): boolean {
  const lease = tables.leases.get(slice);
  return lease !== undefined && lease.holder === holder && String(lease.epoch) === epoch && lease.expiresAt > tables.now;
}

export function renewLeases(
  tables: Tables,
  holder: string,
  slices: string[],
  ttlMs: number,
  looks: Record<string, Record<string, string>>,
): Fence[] {
  const expiresAt = tables.now + ttlMs;
  return slices.flatMap((slice) => {
    const lease = tables.leases.get(slice);
    const expired = !lease || lease.expiresAt <= tables.now;
    if (lease && lease.holder !== undefined && lease.holder !== holder && !expired) return [];
    const renewed = lease?.holder === holder && !expired;
    // An expired lease of our own gets a new epoch too, so that nothing begun under the old one can be written.
    const epoch = renewed ? lease.epoch : (lease?.epoch ?? 0) + 1;
    const known = lease?.looks ?? {};
    tables.leases.set(slice, {
      holder,
      epoch,
      expiresAt,
      looks: !lease || lease.holder === holder ? { ...known, ...looks[slice] } : known,
    });
    return [{ slice, holder, epoch: String(epoch) }];
  });
}

export function releaseLeases(tables: Tables, holder: string): void {
  for (const lease of tables.leases.values())
    if (lease.holder === holder) {
      lease.holder = undefined;
      lease.expiresAt = tables.now;
    }
}

export function leases(tables: Tables): LeaseState[] {
  return [...tables.leases].map(([slice, { holder, expiresAt, looks }]) => ({
    slice,
    alive: holder !== undefined && expiresAt > tables.now,
    looks,
    ...(holder === undefined ? {} : { holder }),
  }));
}
