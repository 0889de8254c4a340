import type { RunOptions } from "./universe";

/** Seeds that once broke a promise, in the plain world where not said otherwise, with what was wrong. Replayed by the tests. */
export const REGRESSIONS: { seed: string; was: string; options?: RunOptions }[] = [
  { seed: "14", was: "a report was refused, the lease went while the row was read again, and the key stayed in flight for ever" },
  { seed: "25", was: "the queue counted by the wall clock: a jump back of an hour kept new intent waiting for an hour" },
  { seed: "51", was: "the same: a recheck planned by a clock that was half an hour ahead" },
  { seed: "53", was: "the same: a resync" },
  { seed: "124", was: "frozen between its permit and its call for longer than its lease, a worker began the call when it went on" },
  { seed: "361", was: "the judge took an appointment that was kept for a new one" },
  { seed: "355", was: "the judge did not count an attempt whose report was refused" },
  { seed: "82", was: "after a lease went and came back, a status from before overwrote what another worker had found meanwhile" },
  { seed: "106", was: "while a shard was loaded, an older status from the feed was kept against the one that its last holder had left" },
  {
    seed: "321",
    was: "a permit's answer came after the lease had gone and come back: the call began under the new epoch, with a look from before",
    options: { leaseMs: 100 },
  },
  { seed: "352", was: "the same", options: { leaseMs: 100 } },
  {
    seed: "10",
    was: "a report of older intent was refused, and the row read again took the place of failures counted since and not written yet",
    options: { leaseMs: 1_000 },
  },
];
