/**
 * Lists of values as PostgreSQL receives them in binary (`array_recv` in its arrayfuncs.c, and the `_recv` of each element type): the
 * driver would write them as text, which both sides then have to quote, scan and parse.
 */
import type { Instant } from "@/lib/clock";

interface ElementType<T> {
  /** Of the element, from `pg_type`. */
  oid: number;
  /** No value takes more bytes. */
  room(value: T): number;
  /** Answers with where the value ends. */
  write(buffer: Buffer, at: number, value: T): number;
}

/** A character of UTF-16 takes at most three bytes of UTF-8. */
const roomOf = (value: string) => value.length * 3;
/** What PostgreSQL counts times from: 2000-01-01. */
const EPOCH_MS = 946_684_800_000;

export const INT4: ElementType<number> = { oid: 23, room: () => 4, write: (buffer, at, value) => buffer.writeInt32BE(value, at) };
export const INT8: ElementType<bigint> = { oid: 20, room: () => 8, write: (buffer, at, value) => buffer.writeBigInt64BE(value, at) };
export const BOOL: ElementType<boolean> = { oid: 16, room: () => 1, write: (buffer, at, value) => buffer.writeUInt8(value ? 1 : 0, at) };
export const TEXT: ElementType<string> = { oid: 25, room: roomOf, write: (buffer, at, value) => at + buffer.write(value, at) };
/** Of texts that are JSON. */
export const JSONB: ElementType<string> = {
  oid: 3802,
  room: (value) => 1 + roomOf(value),
  write: (buffer, at, value) => at + 1 + buffer.write(value, buffer.writeUInt8(1, at)),
};
export const UUID: ElementType<string> = {
  oid: 2950,
  room: () => 16,
  write: (buffer, at, value) => at + buffer.write(value.replaceAll("-", ""), at, "hex"),
};
/** To the millisecond. */
export const TIMESTAMPTZ: ElementType<Instant> = {
  oid: 1184,
  room: () => 8,
  write: (buffer, at, value) => buffer.writeBigInt64BE(BigInt(Math.round(value - EPOCH_MS)) * 1000n, at),
};

const HEADER = 20;
const LENGTH = 4;
const NULL = -1;

/** What `value` says of each item, as a parameter of a statement; undefined becomes NULL. */
export function arrayOf<T, V>({ oid, room, write }: ElementType<V>, items: readonly T[], value: (item: T) => V | undefined): Buffer {
  const values = items.map(value);
  const size = values.reduce((sum: number, each) => sum + LENGTH + (each === undefined ? 0 : room(each)), HEADER);
  const buffer = Buffer.allocUnsafe(size);
  let at = 0;
  // One dimension, perhaps with NULLs, the type, its length, its lower bound.
  for (const word of [1, 1, oid, values.length, 1]) at = buffer.writeInt32BE(word, at);
  for (const each of values) {
    const begin = at + LENGTH;
    const end = each === undefined ? begin : write(buffer, begin, each);
    buffer.writeInt32BE(each === undefined ? NULL : end - begin, at);
    at = end;
  }
  return buffer.subarray(0, at);
}
