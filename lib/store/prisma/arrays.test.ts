import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestStore } from "@/lib/conformance/store";
import type { Store } from ".";
import { arrayOf, BOOL, INT4, INT8, JSONB, TEXT, TIMESTAMPTZ, UUID } from "./arrays";

let store: Store;
beforeAll(async () => {
  store = await openTestStore({ notify: false });
});
afterAll(() => store.close());

const listOf = <T>(value: fc.Arbitrary<T>) => fc.array(fc.option(value, { nil: undefined }), { maxLength: 20 });
/** PostgreSQL knows no character 0 in texts. */
const text = fc.string({ unit: "binary", maxLength: 50 }).map((value) => value.replaceAll("\0", ""));
const EARLIEST = Date.UTC(1, 0);
const LATEST = Date.UTC(9999, 0);

it("a list of each type arrives as it was sent, its gaps and what is beyond ASCII included", async () => {
  const lists = fc.record({
    int4: listOf(fc.integer()),
    int8: listOf(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    bool: listOf(fc.boolean()),
    text: listOf(text),
    json: listOf(fc.dictionary(text, fc.oneof(text, fc.integer()))),
    uuid: listOf(fc.uuid()),
    time: listOf(fc.integer({ min: EARLIEST, max: LATEST })),
  });
  await fc.assert(
    fc.asyncProperty(lists, async (sent) => {
      const same = <T>(value: T) => value;
      const parameters = [
        arrayOf(INT4, sent.int4, same),
        arrayOf(INT8, sent.int8, same),
        arrayOf(BOOL, sent.bool, same),
        arrayOf(TEXT, sent.text, same),
        arrayOf(JSONB, sent.json, (value) => value && JSON.stringify(value)),
        arrayOf(UUID, sent.uuid, same),
        arrayOf(TIMESTAMPTZ, sent.time, same),
      ];
      const { rows } = await store.pool.query(
        `select to_jsonb($1::int[]) int4, array_to_json($2::bigint[]::text[]) int8, to_jsonb($3::boolean[]) bool, to_jsonb($4::text[]) text,
           to_jsonb($5::jsonb[]) json, to_jsonb($6::uuid[]) uuid,
           (select coalesce(jsonb_agg((extract(epoch from t) * 1000)::bigint order by n), '[]') from unnest($7::timestamptz[]) with ordinality as u(t, n)) time`,
        parameters,
      );
      const gaps = <T>(list: (T | undefined)[]) => list.map((value) => value ?? null);
      expect(rows[0]).toEqual({
        int4: gaps(sent.int4),
        int8: gaps(sent.int8.map((value) => value?.toString())),
        bool: gaps(sent.bool),
        text: gaps(sent.text),
        json: gaps(sent.json.map((value) => value && { ...value })),
        uuid: gaps(sent.uuid),
        time: gaps(sent.time),
      });
    }),
    { numRuns: 100 },
  );
});
