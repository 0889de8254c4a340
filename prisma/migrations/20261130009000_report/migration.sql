-- Reports are written in one round trip: a worker that is busy looking does not hold the revision lock while it comes to the next statement.

-- The feed is pruned in order of revisions: an index by time would be written for every change, and read once in ten minutes.
DROP INDEX "change_at_idx";

-- Writes what passes leave behind, all or nothing: a report whose fence does not hold, or whose row has a newer generation, is dropped whole.
-- `reports` name their fence by its place in `slices`, `holders` and `epochs`. `batch`: the worker's own name for this call; the
-- newest one, sent again, adds no history. Answers with the places of those that were dropped.
-- No join between two lists of reports: the planner knows nothing of their length, and would compare each with each.
CREATE FUNCTION "report"(worker_id text, batch_name text, slices text[], holders text[], epochs bigint[], reports jsonb)
  RETURNS int[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  again boolean := false;
  valid bigint[];
  dropped int[];
  freed uuid[];
BEGIN
  -- From here to the commit no row changes but by this function: each statement below sees what the one before saw.
  PERFORM pg_advisory_xact_lock(7270736902);
  IF batch_name IS NOT NULL THEN
    INSERT INTO "report_batch" AS b (worker, batch) VALUES (worker_id, batch_name)
      ON CONFLICT (worker) DO UPDATE SET batch = excluded.batch WHERE b.batch <> excluded.batch;
    again := NOT FOUND;
  END IF;
  -- Take-overs from these holders have committed, or wait for this commit. In order, so that two calls never wait for each other.
  PERFORM pg_advisory_xact_lock_shared(worker_key(h.holder)) FROM (SELECT DISTINCT unnest(holders) AS holder ORDER BY 1) h;
  SELECT coalesce(array_agg(f.n), '{}') INTO valid FROM unnest(slices, holders, epochs) WITH ORDINALITY AS f(slice, holder, epoch, n)
    JOIN "lease" l ON l.slice = f.slice AND l.holder = f.holder AND l.epoch = f.epoch
    JOIN "worker" w ON w.id = f.holder AND w.expires_at > clock_timestamp();

  WITH v AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(reports) AS v(n int, fence bigint, uid uuid, generation bigint, status jsonb, message text,
      pass_started_at timestamptz, pass_duration_ms int, pass_trigger text, pass_outcome text, pass_reason text, pass_message text, pass_attempt int,
      pass_actions jsonb, events jsonb, first_converged_at timestamptz, released boolean)
  ), kept AS MATERIALIZED (
    SELECT v.*, r.id, r.kind, r.namespace, r.name FROM v JOIN "resource" r ON r.uid = v.uid AND r.generation = v.generation
    WHERE v.fence = ANY(valid)
  ), written AS (
    UPDATE "resource" r SET status = k.status, message = coalesce(k.message, k.status->>'message'), state = k.status->>'state',
      reason = k.status->>'reason', observed_generation = (k.status->'observedGeneration')::bigint, attempts = (k.status->'attempts')::int,
      drift_count = coalesce((k.status->'drift'->'count')::int, 0), next_attempt_at = (k.status->'nextAttempt'->>'at')::timestamptz,
      last_converged_at = (k.status->>'lastConvergedAt')::timestamptz
    FROM kept k WHERE r.id = k.id AND k.status IS NOT NULL
  ), passed AS (
    INSERT INTO "pass" (uid, kind, namespace, name, generation, started_at, duration_ms, trigger, outcome, reason, message, attempt, actions)
    SELECT uid, kind, namespace, name, generation, pass_started_at, pass_duration_ms, pass_trigger, pass_outcome,
      coalesce(pass_reason, status->>'reason'), coalesce(pass_message, message, status->>'message'), pass_attempt, pass_actions
    FROM kept WHERE pass_started_at IS NOT NULL AND NOT again
  ), told AS (
    INSERT INTO "event" (uid, kind, namespace, name, generation, type, reason, message, count, first_at, last_at)
    SELECT k.uid, k.kind, k.namespace, k.name, max(k.generation), e.type, e.reason, e.message, count(*), min(e.at), max(e.at)
    FROM kept k, jsonb_to_recordset(k.events) AS e(type text, reason text, message text, at timestamptz)
    WHERE k.events IS NOT NULL AND NOT again
    GROUP BY k.uid, k.kind, k.namespace, k.name, e.type, e.reason, e.message
    ON CONFLICT (uid, type, reason, message) DO UPDATE
      SET count = "event".count + excluded.count, last_at = excluded.last_at, generation = excluded.generation
  ), converged AS (
    UPDATE "revision" r SET converged_at = k.first_converged_at FROM kept k
    WHERE k.first_converged_at IS NOT NULL AND r.uid = k.uid AND r.generation = k.generation AND r.converged_at IS NULL
  )
  SELECT (SELECT array_agg(d.n) FROM (SELECT n FROM v EXCEPT SELECT n FROM kept) d), (SELECT array_agg(uid) FROM kept k WHERE k.released)
    INTO dropped, freed;

  IF freed IS NOT NULL THEN
    UPDATE "resource" SET finalizers = array_remove(finalizers, 'setpoint.dev/cleanup') WHERE uid = ANY(freed) AND deletion_at IS NOT NULL;
    DELETE FROM "resource" WHERE uid = ANY(freed) AND deletion_at IS NOT NULL AND finalizers = '{}';
  END IF;
  RETURN coalesce(dropped, '{}');
END $$;

-- The old and the new rows of a statement are joined by hashing: they have no statistics, and sorting them costs more.
ALTER FUNCTION "resource_feed"() SET enable_mergejoin = off;
