/** The pages' reads, each one statement over one snapshot. What a resource is called is decided as in `lib/resource/view.ts`; a test compares both. */
import type { Pause, State } from "@/lib/resource";
import type { ConsoleStore, Facets, Notice, PageFilter, PageQuery, Sort, StoredPage } from "../console";
import { controllerFacts, overviewFacts } from "./console-overview";
import { insertAudit } from "./history";
import { type Pool, storeError } from "./pool";
import { labelSql } from "./resources";
import { fromRow } from "./rows";
import { FACTS, factsJson, JOINS, stateSql, viewFacts, visibleSql } from "./view-sql";

type Bind = (value: unknown) => string;

export function consoleStore(pool: Pool): ConsoleStore {
  return {
    page: (query) => page(pool, query).catch(storeError),
    matching: (filter, limit) => matching(pool, filter, limit).catch(storeError),
    overview: (range, staleAfterMs, who) => overviewFacts(pool, range, staleAfterMs, who).catch(storeError),
    controllers: () => controllerFacts(pool).catch(storeError),
    async mentioning(namespace, kinds, text, limit) {
      const { rows } = await pool
        .query(
          "select * from resource where namespace = $1 and kind = any($2::text[]) and strpos(spec::text, $3) > 0 order by id desc limit $4",
          [namespace, kinds, JSON.stringify(text), limit],
        )
        .catch(storeError);
      return rows.map((row) => fromRow(row).resource);
    },
    async noticesAfter(revision, limit) {
      const { rows } = await pool
        .query(
          `select resource_version as "resourceVersion", type, kind, namespace, name, uid
           from change where resource_version > $1 order by change.resource_version limit $2`,
          [revision, limit],
        )
        .catch(storeError);
      return rows satisfies Notice[];
    },
    setKindPause: (kind, pause, _by, audit) => setKindPause(pool, kind, pause, audit).catch(storeError),
  };
}

async function setKindPause(pool: Pool, kind: string, pause: Pause | undefined, audit: Parameters<typeof insertAudit>[1]): Promise<void> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query("begin");
    await client.query(
      "insert into kind_control (kind, paused) values ($1, $2) on conflict (kind) do update set paused = excluded.paused",
      [kind, pause ?? null],
    );
    await insertAudit(client, audit);
    await client.query("commit");
    broken = false;
  } finally {
    client.release(broken);
  }
}

/** `seen`: one narrow line per object that the filters without facets leave, with one flag per facet filter. */
function seenSql(filter: PageFilter & Pick<PageQuery, "staleAfterMs">, bind: Bind): string {
  const where: string[] = [];
  if (filter.text !== undefined) {
    const pattern = bind(`%${filter.text.replace(/[\\%_]/g, "\\$&")}%`);
    where.push(`(r.name ilike ${pattern} or r.reason ilike ${pattern} or r.message ilike ${pattern})`);
  }
  if (filter.drifted !== undefined) where.push(filter.drifted ? "r.drift_count > 0" : "r.drift_count = 0");
  if (filter.visible) where.push(visibleSql(bind(JSON.stringify(filter.visible))));
  where.push(...filter.labels.map((label) => labelSql(label, bind)));
  const one = (expression: string, values: string[]) => (values.length === 0 ? "true" : `${expression} = any(${bind(values)}::text[])`);
  return `
  base as materialized (
    select r.id, r.kind, r.namespace, r.name, r.control->>'mode' as mode, r.drift_count, r.attempts, r.next_attempt_at, r.last_converged_at, r.created_at,
      ${stateSql(bind(JSON.stringify(filter.staleAfterMs)))} as state
    from resource r ${JOINS} ${where.length === 0 ? "" : `where ${where.join(" and ")}`}
  ),
  seen as materialized (
    select *, ${one("kind", filter.kinds)} as in_kind, ${one("namespace", filter.namespaces)} as in_namespace,
      ${one("state", filter.states)} as in_state, ${one("mode", filter.modes)} as in_mode
    from base
  )`;
}

const FACETS = ["kind", "namespace", "state", "mode"] as const;
const ALL = FACETS.map((facet) => `in_${facet}`).join(" and ");

function facetSql(facet: (typeof FACETS)[number]): string {
  const others = FACETS.filter((other) => other !== facet).map((other) => `in_${other}`);
  return `(select coalesce(jsonb_object_agg(value, n), '{}') from (select ${facet} as value, count(*) as n from seen where ${others.join(" and ")} group by 1) f) as facet_${facet}`;
}

const ORDER: Record<Sort, string> = {
  // By bytes: names are ASCII, and comparing by language costs several times as much.
  name: 'name collate "C"',
  kind: 'kind collate "C"',
  state: 'state collate "C"',
  driftCount: "drift_count",
  attempts: "attempts",
  nextAttemptAt: "next_attempt_at",
  lastConvergedAt: "last_converged_at",
  createdAt: "created_at",
};

async function page(pool: Pool, query: PageQuery): Promise<StoredPage> {
  const parameters: unknown[] = [];
  const bind: Bind = (value) => `$${parameters.push(value)}`;
  const direction = query.descending ? "desc nulls last" : "asc nulls last";
  const order = `${ORDER[query.sort]} ${direction}, namespace collate "C", name collate "C", kind collate "C"`;
  const { rows } = await pool.query(
    `with ${FACTS}, ${seenSql(query, bind)},
     page as materialized (
       select id, state, row_number() over () as position
       from (select id, state from seen where ${ALL} order by ${order} limit ${bind(query.limit)} offset ${bind(query.offset)}) p)
     select (select count(*) from seen where ${ALL})::int as total, ${FACETS.map(facetSql).join(", ")},
       (select coalesce(json_agg(json_build_object('state', page.state, 'row', row_to_json(r)) order by page.position), '[]') from page join resource r using (id)) as items,
       ${factsJson("select r.slice from page join resource r using (id)")}`,
    parameters,
  );
  const [row] = rows;
  return {
    ...viewFacts(row),
    total: row.total,
    items: (row.items as { state: State; row: unknown }[]).map(({ state, row }) => ({ state, resource: fromRow(row).resource })),
    facets: { kind: row.facet_kind, namespace: row.facet_namespace, state: row.facet_state, mode: row.facet_mode } satisfies Facets,
  };
}

async function matching(
  pool: Pool,
  filter: PageFilter & Pick<PageQuery, "staleAfterMs">,
  limit: number,
): Promise<{ uids: string[]; total: number }> {
  const parameters: unknown[] = [];
  const bind: Bind = (value) => `$${parameters.push(value)}`;
  const { rows } = await pool.query(
    `with ${FACTS}, ${seenSql(filter, bind)},
     chosen as materialized (select id from seen where ${ALL} order by id limit ${bind(limit)})
     select (select count(*) from seen where ${ALL})::int as total,
       (select coalesce(jsonb_agg(r.uid order by id), '[]') from chosen join resource r using (id)) as uids`,
    parameters,
  );
  return { uids: rows[0].uids, total: rows[0].total };
}
