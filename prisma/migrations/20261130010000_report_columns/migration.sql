-- Reports come in columns, in the database's own form: of the time a report took it half to read it out of one JSON text.

DROP FUNCTION "report"(text, text, text[], text[], bigint[], jsonb);

-- A worker has more than one batch under way: the newest one of each of its lines is known by its name.
ALTER TABLE "report_batch" ADD COLUMN "line" INTEGER NOT NULL DEFAULT 0,
  DROP CONSTRAINT "report_batch_pkey",
  ADD CONSTRAINT "report_batch_pkey" PRIMARY KEY ("worker", "line");
ALTER TABLE "report_batch" ALTER COLUMN "line" DROP DEFAULT;

-- Passes are read by object and pruned by time: an index over their numbers alone was read by nobody.
DROP INDEX "pass_uid_id_idx";
ALTER TABLE "pass" DROP CONSTRAINT "pass_pkey", ADD CONSTRAINT "pass_pkey" PRIMARY KEY ("uid", "id");

-- Writes what passes leave behind, all or nothing: a report whose fence does not hold, or whose row has a newer generation, is dropped whole.
-- The n-th report is what stands at n in each list from `fences` on; a fence is a place in `slices`, `holders` and `epochs`. `batch_line` and
-- `batch_name`: the worker's own names for this call; the newest one of a line, sent again, adds no history. Answers with the places of
-- those that were dropped.
-- No join between two lists of reports: the planner knows nothing of their length, and would compare each with each.
CREATE FUNCTION "report"(worker_id text, batch_line int, batch_name text, slices text[], holders text[], epochs bigint[],
    fences int[], uids uuid[], generations bigint[], statuses jsonb[], messages text[], pass_starts timestamptz[], pass_durations int[],
    pass_triggers text[], pass_outcomes text[], pass_reasons text[], pass_messages text[], pass_attempts int[], pass_actions jsonb[],
    events jsonb[], convergences timestamptz[], releases boolean[])
  RETURNS int[] LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  again boolean := false;
  valid bigint[];
  dropped int[];
  freed uuid[];
BEGIN
  -- From here to the commit no row changes but by this function: each statement below sees what the one before saw.
  PERFORM pg_advisory_xact_lock(7270736902);
  IF batch_name IS NOT NULL THEN
    INSERT INTO "report_batch" AS b (worker, line, batch) VALUES (worker_id, batch_line, batch_name)
      ON CONFLICT (worker, line) DO UPDATE SET batch = excluded.batch WHERE b.batch <> excluded.batch;
    again := NOT FOUND;
  END IF;
  -- Take-overs from these holders have committed, or wait for this commit. In order, so that two calls never wait for each other.
  PERFORM pg_advisory_xact_lock_shared(worker_key(h.holder)) FROM (SELECT DISTINCT unnest(holders) AS holder ORDER BY 1) h;
  SELECT coalesce(array_agg(f.n), '{}') INTO valid FROM unnest(slices, holders, epochs) WITH ORDINALITY AS f(slice, holder, epoch, n)
    JOIN "lease" l ON l.slice = f.slice AND l.holder = f.holder AND l.epoch = f.epoch
    JOIN "worker" w ON w.id = f.holder AND w.expires_at > clock_timestamp();

  WITH kept AS MATERIALIZED (
    SELECT v.*, r.id, r.kind, r.namespace, r.name
    FROM unnest(fences, uids, generations, statuses, messages, pass_starts, pass_durations, pass_triggers, pass_outcomes, pass_reasons,
        pass_messages, pass_attempts, pass_actions, events, convergences, releases) WITH ORDINALITY
      AS v(fence, uid, generation, status, message, started_at, duration_ms, trigger, outcome, pass_reason,
        pass_message, attempt, actions, events, converged_at, released, n)
    JOIN "resource" r ON r.uid = v.uid AND r.generation = v.generation
    WHERE v.fence = ANY(valid)
  ), written AS (
    UPDATE "resource" r SET status = k.status, message = coalesce(k.message, k.status->>'message'), state = k.status->>'state',
      reason = k.status->>'reason', observed_generation = (k.status->'observedGeneration')::bigint, attempts = (k.status->'attempts')::int,
      drift_count = coalesce((k.status->'drift'->'count')::int, 0), next_attempt_at = (k.status->'nextAttempt'->>'at')::timestamptz,
      last_converged_at = (k.status->>'lastConvergedAt')::timestamptz
    FROM kept k WHERE r.id = k.id AND k.status IS NOT NULL
  ), passed AS (
    INSERT INTO "pass" (uid, kind, namespace, name, generation, started_at, duration_ms, trigger, outcome, reason, message, attempt, actions)
    SELECT uid, kind, namespace, name, generation, started_at, duration_ms, trigger, outcome,
      coalesce(pass_reason, status->>'reason'), coalesce(pass_message, message, status->>'message'), attempt, actions
    FROM kept WHERE started_at IS NOT NULL AND NOT again
  ), told AS (
    INSERT INTO "event" (uid, kind, namespace, name, generation, type, reason, message, count, first_at, last_at)
    SELECT k.uid, k.kind, k.namespace, k.name, max(k.generation), e.type, e.reason, e.message, count(*), min(e.at), max(e.at)
    FROM kept k, jsonb_to_recordset(k.events) AS e(type text, reason text, message text, at timestamptz)
    WHERE k.events IS NOT NULL AND NOT again
    GROUP BY k.uid, k.kind, k.namespace, k.name, e.type, e.reason, e.message
    ON CONFLICT (uid, type, reason, message) DO UPDATE
      SET count = "event".count + excluded.count, last_at = excluded.last_at, generation = excluded.generation
  ), converged AS (
    UPDATE "revision" r SET converged_at = k.converged_at FROM kept k
    WHERE k.converged_at IS NOT NULL AND r.uid = k.uid AND r.generation = k.generation AND r.converged_at IS NULL
  )
  SELECT (SELECT array_agg(n) FROM generate_series(1, cardinality(uids)) n WHERE n NOT IN (SELECT k.n FROM kept k)),
    (SELECT array_agg(uid) FROM kept WHERE released) INTO dropped, freed;

  IF freed IS NOT NULL THEN
    UPDATE "resource" SET finalizers = array_remove(finalizers, 'setpoint.dev/cleanup') WHERE uid = ANY(freed) AND deletion_at IS NOT NULL;
    DELETE FROM "resource" WHERE uid = ANY(freed) AND deletion_at IS NOT NULL AND finalizers = '{}';
  END IF;
  RETURN coalesce(dropped, '{}');
END $$;
