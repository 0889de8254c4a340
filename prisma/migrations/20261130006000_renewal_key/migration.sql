-- A renewal that begins within its term and commits after it must not be told that it holds what another worker takes meanwhile: it was
-- seen as dead by its old row, and its answer was read from before the take-over. It takes its worker's key like any other write.

-- One renewal: heartbeat, publication of looks, taking of what is free up to this worker's share. At rest it writes the heartbeat alone.
CREATE OR REPLACE FUNCTION "lease_renew"(beat jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  me text := beat->>'id';
  is_guest boolean := (beat->>'guest')::boolean;
  here text := 'host/' || (beat->>'host');
  lapsed boolean;
  joined boolean;
  fenced text[];
  chosen text[];
  total int;
  mine int;
  living int;
  share int;
  room int;
  fewest int;
  surplus int := 0;
BEGIN
  SELECT w.expires_at <= clock_timestamp() INTO lapsed FROM "worker" w WHERE w.id = me;
  joined := NOT FOUND;
  IF lapsed IS NOT TRUE THEN
    -- Shared, as every write of this worker: nobody takes from it while this is under way, or what was taken is seen from here on.
    PERFORM pg_advisory_xact_lock_shared(worker_key(me));
    SELECT w.expires_at <= clock_timestamp() INTO lapsed FROM "worker" w WHERE w.id = me;
  END IF;
  IF lapsed THEN
    -- Others may have taken over. What is left gets a new epoch, so that nothing begun before can still be written.
    PERFORM pg_advisory_xact_lock(worker_key(me));
    SELECT coalesce(array_agg(l.slice), '{}') INTO chosen FROM "lease" l WHERE l.holder = me;
    PERFORM lease_move(chosen, array_fill(me, ARRAY[cardinality(chosen)]));
  END IF;
  INSERT INTO "worker" AS w (id, host, pid, role, version, started_at, expires_at, stats, guest, looks, behind)
    SELECT me, beat->>'host', (beat->>'pid')::int, beat->>'role', beat->>'version', (beat->>'startedAt')::timestamptz,
      clock_timestamp() + (beat->>'ttlMs')::float8 * interval '1 millisecond', beat->'stats', is_guest, beat->'looks'->'oldest', beat->'looks'->'behind'
    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, stats = excluded.stats, looks = excluded.looks, behind = excluded.behind;
  IF jsonb_array_length(beat->'covers') > 0 THEN
    UPDATE "lease" l SET covered = true FROM jsonb_to_recordset(beat->'covers') AS c(slice text, epoch bigint)
      WHERE l.slice = c.slice AND l.epoch = c.epoch AND l.holder = me AND NOT l.covered;
  END IF;

  fenced := lease_fence(me);
  SELECT count(*), count(*) FILTER (WHERE l.holder = me) INTO total, mine FROM "lease" l WHERE l.slice LIKE 'shard/%';
  SELECT count(*) INTO living FROM "worker" w WHERE w.expires_at > clock_timestamp() AND NOT w.guest;
  share := CASE WHEN is_guest THEN total ELSE ceil(total::float8 / greatest(living, 1)) END;
  SELECT array_agg(f.slice) INTO chosen FROM (
    SELECT l.slice FROM "lease" l WHERE l.slice LIKE 'shard/%' AND (l.holder IS NULL OR l.holder = ANY(fenced))
      LIMIT greatest(0, share - mine) FOR UPDATE SKIP LOCKED) f;
  INSERT INTO "lease" (slice) SELECT here WHERE NOT EXISTS (SELECT FROM "lease" l WHERE l.slice = here) ON CONFLICT DO NOTHING;
  SELECT chosen || array_agg(f.slice) INTO chosen FROM (
    SELECT l.slice FROM "lease" l WHERE l.slice = here AND (l.holder IS NULL OR l.holder = ANY(fenced)) FOR UPDATE SKIP LOCKED) f;
  IF cardinality(chosen) > 0 THEN
    PERFORM lease_move(chosen, array_fill(me, ARRAY[cardinality(chosen)]));
    SELECT count(*) INTO mine FROM "lease" l WHERE l.slice LIKE 'shard/%' AND l.holder = me;
  END IF;

  -- Shards are given away once somebody has clearly less than an equal share, and by those who have more than it.
  IF NOT is_guest AND mine > share THEN
    SELECT min(held), sum(greatest(0, total / living - held)) INTO fewest, room FROM (
      SELECT (SELECT count(*) FROM "lease" l WHERE l.holder = w.id AND l.slice LIKE 'shard/%')::int AS held
      FROM "worker" w WHERE w.id <> me AND NOT w.guest AND w.expires_at > clock_timestamp()) others;
    IF fewest < 0.9 * (total / living) THEN surplus := least(mine - share, room); END IF;
  END IF;
  -- Others look at once: at a newcomer, and at what is left of the dead.
  IF (joined AND NOT is_guest) OR (living > 1 AND cardinality(fenced) > 0 AND EXISTS (SELECT FROM "lease" l WHERE l.holder = ANY(fenced))) THEN
    PERFORM pg_notify('setpoint_lease', '');
  END IF;
  RETURN jsonb_build_object('surplus', surplus, 'leases', (
    SELECT coalesce(jsonb_agg(jsonb_build_array(l.slice, l.epoch::text)), '[]') FROM "lease" l WHERE l.holder = me));
END $$;
