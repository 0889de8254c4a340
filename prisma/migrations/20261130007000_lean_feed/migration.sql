-- The feed carries the columns of the row as they are, not a JSON copy that has to be made of each; and it says which changes may
-- concern a controller, so that workers do not read their own reports back.

ALTER TABLE "change" ADD COLUMN "wakes" BOOLEAN,
  ADD COLUMN "uid" UUID,
  ADD COLUMN "generation" BIGINT,
  ADD COLUMN "spec" JSONB,
  ADD COLUMN "control" JSONB,
  ADD COLUMN "status" JSONB,
  ADD COLUMN "labels" JSONB,
  ADD COLUMN "annotations" JSONB,
  ADD COLUMN "finalizers" TEXT[],
  ADD COLUMN "owner_references" JSONB,
  ADD COLUMN "managed_fields" JSONB,
  ADD COLUMN "created_at" TIMESTAMPTZ(3),
  ADD COLUMN "deletion_at" TIMESTAMPTZ(3);
UPDATE "change" c SET wakes = true, uid = r.uid, generation = r.generation, spec = r.spec, control = r.control, status = r.status,
    labels = r.labels, annotations = r.annotations, finalizers = r.finalizers, owner_references = r.owner_references,
    managed_fields = coalesce(r.managed_fields, '[]'), created_at = r.created_at, deletion_at = r.deletion_at
  FROM "change" o, jsonb_populate_record(NULL::"resource", o."row") r WHERE o.resource_version = c.resource_version;
ALTER TABLE "change" DROP COLUMN "row",
  ALTER COLUMN "wakes" SET NOT NULL,
  ALTER COLUMN "uid" SET NOT NULL,
  ALTER COLUMN "generation" SET NOT NULL,
  ALTER COLUMN "spec" SET NOT NULL,
  ALTER COLUMN "control" SET NOT NULL,
  ALTER COLUMN "labels" SET NOT NULL,
  ALTER COLUMN "annotations" SET NOT NULL,
  ALTER COLUMN "owner_references" SET NOT NULL,
  ALTER COLUMN "managed_fields" SET NOT NULL,
  ALTER COLUMN "created_at" SET NOT NULL;

-- Transition tables have no statistics: without this the planner compares every new row with every old one of a bulk change.
CREATE OR REPLACE FUNCTION "resource_feed"() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "change" (resource_version, type, kind, namespace, name, slice, intent, wakes,
        uid, generation, spec, control, status, labels, annotations, finalizers, owner_references, managed_fields, created_at, deletion_at)
      SELECT n.resource_version, 'ADDED', n.kind, n.namespace, n.name, n.slice, true, true,
        n.uid, n.generation, n.spec, n.control, n.status, n.labels, n.annotations, n.finalizers, n.owner_references, n.managed_fields, n.created_at, n.deletion_at
      FROM new_rows n;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO "change" (resource_version, type, kind, namespace, name, slice, intent, wakes,
        uid, generation, spec, control, status, labels, annotations, finalizers, owner_references, managed_fields, created_at, deletion_at, old_labels)
      SELECT n.resource_version, 'MODIFIED', n.kind, n.namespace, n.name, n.slice, v.intent,
        v.intent OR n.state <> o.state OR n.labels <> o.labels OR n.annotations <> o.annotations OR n.owner_references <> o.owner_references,
        n.uid, n.generation, n.spec, n.control, n.status, n.labels, n.annotations, n.finalizers, n.owner_references, n.managed_fields, n.created_at, n.deletion_at, o.labels
      FROM new_rows n JOIN old_rows o USING (id), LATERAL (SELECT n.generation <> o.generation OR n.control <> o.control
        OR n.finalizers IS DISTINCT FROM o.finalizers OR n.deletion_at IS DISTINCT FROM o.deletion_at AS intent OFFSET 0) v;
  ELSE
    INSERT INTO "change" (resource_version, type, kind, namespace, name, slice, intent, wakes,
        uid, generation, spec, control, status, labels, annotations, finalizers, owner_references, managed_fields, created_at, deletion_at, old_labels)
      SELECT nextval('resource_revision'), 'DELETED', o.kind, o.namespace, o.name, o.slice, true, true,
        o.uid, o.generation, o.spec, o.control, o.status, o.labels, o.annotations, o.finalizers, o.owner_references, o.managed_fields, o.created_at, o.deletion_at, o.labels
      FROM old_rows o;
  END IF;
  -- A hint only: the listener reads the table. Equal payloads of one transaction are sent once.
  PERFORM pg_notify('setpoint_change', '');
  RETURN NULL;
END $$;
