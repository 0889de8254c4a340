-- What Prisma's schema cannot say: the order of changes, generations, the change feed and its notifications.

ALTER TABLE "resource" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE SEQUENCE "resource_revision" AS bigint START 1;

-- One writer at a time takes revisions, from its first write until its commit, so that revision order is commit order and
-- a reader that has seen N can never miss a smaller one that commits later. Whoever also locks rows takes this lock first.
CREATE FUNCTION "resource_serialize"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7270736902);
  RETURN NULL;
END $$;

CREATE TRIGGER "resource_serialize" BEFORE INSERT OR UPDATE OR DELETE ON "resource"
  FOR EACH STATEMENT EXECUTE FUNCTION "resource_serialize"();

-- Revision and generation are the store's, whatever a writer sends; a write that changes nothing is no write.
CREATE FUNCTION "resource_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW IS NOT DISTINCT FROM OLD THEN
      RETURN NULL;
    END IF;
    NEW.generation := OLD.generation + CASE
      WHEN NEW.spec IS DISTINCT FROM OLD.spec OR (NEW.deletion_at IS NOT NULL AND OLD.deletion_at IS NULL) THEN 1 ELSE 0 END;
  ELSE
    NEW.generation := 1;
  END IF;
  NEW.resource_version := nextval('resource_revision');
  RETURN NEW;
END $$;

CREATE TRIGGER "resource_version" BEFORE INSERT OR UPDATE ON "resource"
  FOR EACH ROW EXECUTE FUNCTION "resource_version"();

CREATE FUNCTION "resource_feed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "change" (resource_version, type, kind, namespace, name, slice, intent, "row")
      SELECT n.resource_version, 'ADDED', n.kind, n.namespace, n.name, n.slice, true, to_jsonb(n) FROM new_rows n;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO "change" (resource_version, type, kind, namespace, name, slice, intent, "row", old_labels)
      SELECT n.resource_version, 'MODIFIED', n.kind, n.namespace, n.name, n.slice,
             n.generation <> o.generation OR n.control IS DISTINCT FROM o.control OR n.finalizers IS DISTINCT FROM o.finalizers
               OR n.deletion_at IS DISTINCT FROM o.deletion_at,
             to_jsonb(n), o.labels
      FROM new_rows n JOIN old_rows o USING (id);
  ELSE
    INSERT INTO "change" (resource_version, type, kind, namespace, name, slice, intent, "row", old_labels)
      SELECT v.rv, 'DELETED', v.kind, v.namespace, v.name, v.slice, true, v.r || jsonb_build_object('resource_version', v.rv), v.labels
      FROM (SELECT nextval('resource_revision') AS rv, o.kind, o.namespace, o.name, o.slice, o.labels, to_jsonb(o) AS r FROM old_rows o) v;
  END IF;
  -- A hint only: the listener reads the table. Equal payloads of one transaction are sent once.
  PERFORM pg_notify('setpoint_change', '');
  RETURN NULL;
END $$;

CREATE TRIGGER "resource_feed_insert" AFTER INSERT ON "resource" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "resource_feed"();
CREATE TRIGGER "resource_feed_update" AFTER UPDATE ON "resource" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "resource_feed"();
CREATE TRIGGER "resource_feed_delete" AFTER DELETE ON "resource" REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "resource_feed"();
