import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { formatMark, parseMark } from "./mark";
import type { GrantChange } from "./model";
import { makeVerifier, passwordDigest, verifierMatches } from "./password";
import { attributesSql, grantSql, identifierFault, objectText, quoteIdentifier, quoteLiteral } from "./sql";

const hostile = fc.oneof(
  fc.constantFrom('a"b', "a'b", "a\\'b", '"; drop role x; --', "$$", "a\nb", "é\u{1f600}", " ", "--", "/*", "E'"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
);
const name = hostile.filter((text) => identifierFault(text) === undefined);

describe("no string gets into a statement as anything but a name or a text", () => {
  const client = new pg.Client({ connectionString: inject("databaseServer") });
  beforeAll(() => client.connect());
  afterAll(() => client.end());

  test("the server reads back every name and every text as it was given", async () => {
    await fc.assert(
      fc.asyncProperty(name, name, async (identifier, text) => {
        const { rows, fields } = await client.query(`select ${quoteLiteral(text)} as ${quoteIdentifier(identifier)}`);
        expect(fields.map((field) => field.name)).toEqual([identifier]);
        expect(Object.values(rows[0])).toEqual([text]);
      }),
      { numRuns: 200 },
    );
  });

  test("a role with a hostile name and a hostile comment is made as named", async () => {
    const role = `x"; drop role postgres; --'${process.pid}`;
    const comment = formatMark({ installation: "a'b\\", uid: "u", name: "n/'; --" });
    await client.query("begin");
    await client.query(`create role ${quoteIdentifier(role)} ${attributesSql({ login: true, validUntil: "2030-01-01T00:00:00.000Z" })}`);
    await client.query(`comment on role ${quoteIdentifier(role)} is ${quoteLiteral(comment)}`);
    const { rows } = await client.query("select shobj_description(oid, 'pg_authid') as c from pg_roles where rolname = $1", [role]);
    expect(parseMark(rows[0]?.c)).toEqual({ installation: "a'b\\", uid: "u", name: "n/'; --" });
    await client.query("rollback");
  });
});

test("a privilege that is no upper-case word never becomes a statement", () => {
  const change: GrantChange = { do: "grant", privileges: ["SELECT ON x TO y; --"], database: "d", schema: "s", table: "t" };
  expect(() => grantSql("r", change)).toThrow("not a privilege");
});

test("another's grant is taken back in that other's name", () => {
  const change: GrantChange = { do: "revokeOption", privileges: ["SELECT"], database: "d", schema: "s", table: "t", as: 'g"' };
  expect(grantSql("r", change)).toEqual(['SET LOCAL ROLE "g"""', 'REVOKE GRANT OPTION FOR SELECT ON TABLE "s"."t" FROM "r"', "RESET ROLE"]);
});

test("two objects never have one text", () => {
  const object = fc.record({ database: hostile, schema: fc.option(hostile, { nil: undefined }) });
  fc.assert(
    fc.property(object, object, (a, b) => {
      if (a.database !== b.database || a.schema !== b.schema) expect(objectText(a)).not.toBe(objectText(b));
    }),
  );
});

test("a name that a server would cut is refused", () => {
  expect(identifierFault("é".repeat(32))).toContain("63 bytes");
  expect(identifierFault("a".repeat(63))).toBeUndefined();
  expect(identifierFault("a\0b")).toBeDefined();
});

test("a mark survives its comment, and nothing else is taken for one", () => {
  const mark = fc.record(
    { installation: fc.string(), uid: fc.string(), name: fc.string(), password: fc.string() },
    { requiredKeys: ["installation", "uid", "name"] },
  );
  fc.assert(
    fc.property(mark, (given) => {
      expect(parseMark(formatMark(given))).toEqual(given);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseMark(text)).toBeUndefined();
    }),
  );
  for (const comment of [null, undefined, "setpoint:", "setpoint:null", "setpoint:[]", 'setpoint:{"uid":1}'])
    expect(parseMark(comment)).toBeUndefined();
});

test("a verifier is of its own password alone, and does not hold it", async () => {
  const verifier = await makeVerifier("pässword");
  expect(verifier).not.toContain("ssword");
  expect(await verifierMatches(verifier, "pässword")).toBe(true);
  expect(await verifierMatches(verifier, "passwort")).toBe(false);
  for (const other of [null, "", "md5abc", "SCRAM-SHA-256$0:aa$bb:cc", "SCRAM-SHA-256$99999999:aa$bb:cc"])
    expect(await verifierMatches(other, "pässword")).toBe(false);
});

test("a digest depends on the password, the resource and the managing user's own password", async () => {
  const digests = await Promise.all([
    passwordDigest("p", "u", "k"),
    passwordDigest("q", "u", "k"),
    passwordDigest("p", "v", "k"),
    passwordDigest("p", "u", "l"),
    passwordDigest("p", "u", undefined),
  ]);
  expect(new Set(digests).size).toBe(5);
  expect(await passwordDigest("p", "u", "k")).toBe(digests[0]);
});
