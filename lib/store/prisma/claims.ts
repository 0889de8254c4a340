/** Who claims which outside thing. A claim has one holder, by an index; it is freed when its holder's row leaves or no longer claims it. */
import type { JsonObject, Key } from "@/lib/resource";
import type { Claim, Contest } from "..";
import { ClaimTaken, sameKey } from "../claims";
import { type Client, inTransaction, type Pool } from "./pool";

const ONE_HOLDER = "claim_held_key";

export function isClaimTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === ONE_HOLDER;
}

/** The refusal of a write whose claim another object holds. It has been rolled back: the holder is looked up by itself. */
export async function claimTaken(pool: Pool, claims: readonly Claim[], own?: Key): Promise<ClaimTaken> {
  const { rows } = await pool.query(
    `select c.text, r.kind, r.namespace, r.name from claim c join resource r on r.uid = c.uid
     where c.held = any($1::text[]) order by c.text`,
    [claims.map(({ text }) => text)],
  );
  const holders = rows.map(({ text, kind, namespace, name }) => ({ text, holder: { kind, namespace, name } }));
  const others = holders.filter(({ holder }) => !own || !sameKey(own, holder));
  return new ClaimTaken(
    claims.flatMap(({ text, field }) => others.filter((other) => other.text === text).map(({ holder }) => ({ text, field, holder }))),
  );
}

/** From now on it claims these and no others. One that waits for a claim already goes on waiting. */
export async function moveClaims(client: Client, uid: string, claims: readonly Claim[]): Promise<void> {
  const texts = claims.map(({ text }) => text);
  const { rows } = await client.query("select text, field from claim where uid = $1", [uid]);
  const known = new Map<string, string>(rows.map((row) => [row.text, row.field]));
  if (known.size === claims.length && claims.every(({ text, field }) => known.get(text) === field)) return;
  await client.query("delete from claim where uid = $1 and text <> all($2::text[])", [uid, texts]);
  await client.query(
    `insert into claim (uid, text, field, held) select $1, v.text, v.field, v.text from jsonb_to_recordset($2::jsonb) as v(text text, field text)
     on conflict (uid, text) do update set field = excluded.field`,
    [uid, JSON.stringify(claims)],
  );
}

/**
 * Brings the claims of every object of a kind to what they are now. Where several claim the same, a holder stays, else the oldest
 * holds and the others wait.
 */
export async function restoreClaims(
  pool: Pool,
  kind: string,
  claimsOf: (object: { namespace: string; name: string; spec: JsonObject }) => Claim[],
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query("select uid, namespace, name, spec from resource where kind = $1 order by id", [kind]);
    const wanted = rows.flatMap((row) => claimsOf(row).map((claim) => ({ uid: row.uid, ...claim })));
    const payload = JSON.stringify(wanted);
    const given = "jsonb_to_recordset($1::jsonb) as v(uid uuid, text text, field text)";
    await client.query(
      `delete from claim c using resource r where r.uid = c.uid and r.kind = $2
         and not exists (select from ${given} where v.uid = c.uid and v.text = c.text)`,
      [payload, kind],
    );
    await client.query(
      `insert into claim (uid, text, field, held)
       select v.uid, v.text, v.field,
         case when row_number() over (partition by v.text order by r.id) = 1 and not exists (select from claim h where h.held = v.text)
           then v.text end
       from ${given} join resource r on r.uid = v.uid
       where not exists (select from claim k where k.uid = v.uid and k.text = v.text)`,
      [payload],
    );
  });
}

/** Who waits for a claim of another. */
export async function contests(pool: Pool): Promise<Contest[]> {
  const { rows } = await pool.query(
    `select c.uid, c.text, c.field, r.kind, r.namespace, r.name
     from claim c join claim h on h.held = c.text join resource r on r.uid = h.uid where c.held is null order by c.uid, c.text`,
  );
  return rows.map(({ uid, text, field, kind, namespace, name }) => ({ uid, text, field, holder: { kind, namespace, name } }));
}
