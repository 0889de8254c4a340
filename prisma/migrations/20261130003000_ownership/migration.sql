-- Who owns which field.
ALTER TABLE "resource" ADD COLUMN "managed_fields" JSONB NOT NULL DEFAULT '[]';

-- What outside thing an object claims.
CREATE TABLE "claim" (
    "uid" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "held" TEXT,

    CONSTRAINT "claim_pkey" PRIMARY KEY ("uid","text")
);

ALTER TABLE "claim" ADD CONSTRAINT "claim_uid_fkey" FOREIGN KEY ("uid") REFERENCES "resource"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- One holder of a claim. Who claimed the same before this table was there waits beside it, and follows when the holder lets go.
CREATE UNIQUE INDEX "claim_held_key" ON "claim"("held");

CREATE INDEX "claim_text_idx" ON "claim"("text");

CREATE FUNCTION "claim_follow"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "claim" c SET held = c.text
    WHERE c.text = OLD.text
      AND c.uid = (SELECT w.uid FROM "claim" w JOIN "resource" r ON r.uid = w.uid WHERE w.text = OLD.text ORDER BY r.id LIMIT 1)
      AND NOT EXISTS (SELECT FROM "claim" h WHERE h.held = OLD.text);
  RETURN NULL;
END $$;

CREATE TRIGGER "claim_follow" AFTER DELETE ON "claim" FOR EACH ROW WHEN (OLD.held IS NOT NULL) EXECUTE FUNCTION "claim_follow"();
