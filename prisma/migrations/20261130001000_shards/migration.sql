-- Many workers: leases say who holds what and change only on moves; one heartbeat row per worker says who is alive.

ALTER TABLE "lease" DROP COLUMN "expires_at",
  ADD COLUMN "covered" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "taken_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp();
ALTER TABLE "worker" ADD COLUMN "guest" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "looks" JSONB NOT NULL DEFAULT '{}',
  ADD COLUMN "behind" JSONB NOT NULL DEFAULT '{}';
-- Rewritten every few seconds: room for updates in place.
ALTER TABLE "worker" SET (fillfactor = 50);
ALTER TABLE "lease" SET (fillfactor = 50);

-- No lease outlives the change of their meaning: workers of this version take them anew.
DELETE FROM "lease" WHERE slice = '*';
UPDATE "lease" SET holder = NULL, epoch = epoch + 1;
INSERT INTO "lease" (slice) SELECT 'shard/' || n FROM generate_series(0, 1023) n;

-- The lowest ten bits of a version 4 uuid are random: as good as any hash, and the same in every language.
CREATE FUNCTION "shard_of"(uid uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'shard/' || (('x' || right(uid::text, 3))::bit(12)::int & 1023)
$$;

-- Up the owners to the one that has none; an owner that is not stored ends the way. Bounded, should owners form a ring.
CREATE FUNCTION "root_owner"(uid uuid, owner_references jsonb) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
DECLARE
  root uuid := uid;
  refs jsonb := owner_references;
BEGIN
  FOR step IN 1..32 LOOP
    EXIT WHEN refs IS NULL OR refs->0->>'uid' IS NULL;
    root := (refs->0->>'uid')::uuid;
    SELECT r.owner_references INTO refs FROM "resource" r WHERE r.uid = root;
  END LOOP;
  RETURN root;
END $$;

-- Set at insert and never changed: an object and all it owns stay together, whatever happens to its references later.
CREATE FUNCTION "resource_shard"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.slice := shard_of(root_owner(NEW.uid, NEW.owner_references));
  RETURN NEW;
END $$;
CREATE TRIGGER "resource_shard" BEFORE INSERT ON "resource"
  FOR EACH ROW WHEN (NEW.slice = '*') EXECUTE FUNCTION "resource_shard"();

-- Nothing that a client can see changes: no revision, no feed.
ALTER TABLE "resource" DISABLE TRIGGER USER;
UPDATE "resource" SET slice = shard_of(root_owner(uid, owner_references)) WHERE slice = '*';
ALTER TABLE "resource" ENABLE TRIGGER USER;

-- Whoever writes as a worker holds its key shared until commit; whoever takes leases from it holds the key alone. See lib/engine/README.md.
CREATE FUNCTION "worker_key"(id text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT hashtextextended('setpoint/worker/' || id, 0)
$$;

-- How far back the oldest look of each kind in a slice is: what its worker published once it has the slice loaded, with exceptions
-- for slices that are behind; before that, what was known when the slice moved. A kind that is absent is unknown.
CREATE FUNCTION "lease_looks"(slice text, known jsonb, covered boolean, looks jsonb, behind jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN NOT covered OR looks IS NULL THEN known
    WHEN behind ? slice THEN jsonb_strip_nulls(looks || (
      SELECT coalesce(jsonb_object_agg(b.kind, CASE WHEN jsonb_typeof(b.seen) = 'null' THEN coalesce(known->b.kind, 'null') ELSE b.seen END), '{}')
      FROM jsonb_each(behind->slice) AS b(kind, seen)))
    ELSE looks END
$$;

-- Which of these leases may be written under: by a worker that is alive, as holder, in that epoch. Two statements on purpose: the
-- second one's snapshot is younger than the lock. Keeps take-overs from committing before this transaction ends.
CREATE FUNCTION "lease_valid"(worker_id text, slices text[], epochs bigint[]) RETURNS SETOF text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(worker_key(worker_id));
  RETURN QUERY SELECT l.slice FROM unnest(slices, epochs) AS f(slice, epoch) JOIN "lease" l ON l.slice = f.slice AND l.epoch = f.epoch
    WHERE l.holder = worker_id AND EXISTS (SELECT FROM "worker" w WHERE w.id = worker_id AND w.expires_at > clock_timestamp());
END $$;

-- The one way in which a lease changes hands: a new epoch, and what is known of its looks is kept, so that nothing looks fresher than it is.
CREATE FUNCTION "lease_move"(slices text[], holders text[]) RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
  UPDATE "lease" l SET holder = m.holder, epoch = l.epoch + 1, covered = false, taken_at = clock_timestamp(),
      looks = coalesce((SELECT lease_looks(l.slice, l.looks, l.covered, w.looks, w.behind) FROM "worker" w WHERE w.id = l.holder), l.looks)
    FROM unnest(slices, holders) AS m(slice, holder) WHERE l.slice = m.slice
    RETURNING l.slice
$$;

-- Workers whose term is over and that can be taken from now. One whose write is under way is left for the next renewal.
CREATE FUNCTION "lease_fence"(me text) RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  gone text;
  fenced text[] := '{}';
BEGIN
  FOR gone IN SELECT DISTINCT l.holder FROM "lease" l LEFT JOIN "worker" w ON w.id = l.holder
      WHERE l.holder <> me AND (w.id IS NULL OR w.expires_at <= clock_timestamp()) LOOP
    -- Looked at again under its key.
    IF pg_try_advisory_xact_lock(worker_key(gone)) AND NOT EXISTS (SELECT FROM "worker" w WHERE w.id = gone AND w.expires_at > clock_timestamp()) THEN
      fenced := fenced || gone;
    END IF;
  END LOOP;
  RETURN fenced;
END $$;

-- One renewal: heartbeat, publication of looks, taking of what is free up to this worker's share. At rest it writes the heartbeat alone.
CREATE FUNCTION "lease_renew"(beat jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
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

-- Gives shards to living workers with less than an equal share, the emptiest first; what finds no place stays. One at a time, so that
-- two givers do not fill the same place. `leaving`: everything goes, what finds no place becomes free, and the worker's term ends.
CREATE FUNCTION "lease_hand_over"(me text, slices text[], leaving boolean) RETURNS SETOF text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  given text[];
  takers text[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('setpoint/hand-over', 0));
  -- Waits for writes of this worker that are under way.
  PERFORM pg_advisory_xact_lock(worker_key(me));
  WITH others AS (
    SELECT w.id, (SELECT count(*) FROM "lease" l WHERE l.holder = w.id AND l.slice LIKE 'shard/%')::int AS held
    FROM "worker" w WHERE w.id <> me AND NOT w.guest AND w.expires_at > clock_timestamp()
  ), share AS (
    SELECT CASE WHEN leaving THEN ceil(t.total::float8 / greatest(o.living, 1))::int ELSE t.total / (o.living + 1) END AS size
    FROM (SELECT count(*)::int AS total FROM "lease" l WHERE l.slice LIKE 'shard/%') t, (SELECT count(*)::int AS living FROM others) o
  ), places AS (
    SELECT o.id, row_number() OVER (ORDER BY n, o.id) AS place FROM others o, share s, generate_series(o.held + 1, s.size) n
  ), offered AS (
    SELECT l.slice, row_number() OVER (ORDER BY l.slice) AS place FROM "lease" l
    WHERE l.holder = me AND l.slice LIKE 'shard/%' AND (leaving OR l.slice = ANY(slices))
  )
  SELECT array_agg(o.slice), array_agg(p.id) INTO given, takers FROM offered o JOIN places p USING (place);
  IF leaving THEN
    SELECT given || array_agg(l.slice), takers || array_agg(
        (SELECT w.id FROM "worker" w WHERE l.slice = 'host/' || w.host AND w.id <> me AND NOT w.guest AND w.expires_at > clock_timestamp() LIMIT 1))
      INTO given, takers FROM "lease" l WHERE l.holder = me AND NOT l.slice = ANY(coalesce(given, '{}'));
  END IF;
  RETURN QUERY SELECT m FROM lease_move(given, takers) m;
  IF leaving THEN
    UPDATE "worker" w SET expires_at = clock_timestamp() WHERE w.id = me;
  END IF;
  IF leaving OR cardinality(given) > 0 THEN PERFORM pg_notify('setpoint_lease', ''); END IF;
END $$;
