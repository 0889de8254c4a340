-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "resource" (
    "id" BIGSERIAL NOT NULL,
    "uid" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slice" TEXT NOT NULL DEFAULT '*',
    "generation" BIGINT NOT NULL DEFAULT 1,
    "resource_version" BIGINT NOT NULL DEFAULT 0,
    "spec" JSONB NOT NULL,
    "control" JSONB NOT NULL,
    "status" JSONB,
    "labels" JSONB NOT NULL DEFAULT '{}',
    "annotations" JSONB NOT NULL DEFAULT '{}',
    "finalizers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "owner_references" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletion_at" TIMESTAMPTZ(3),
    "observed_generation" BIGINT NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'Progressing',
    "reason" TEXT NOT NULL DEFAULT 'New',
    "message" TEXT NOT NULL DEFAULT 'Waiting for its first look.',
    "drift_count" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "last_converged_at" TIMESTAMPTZ(3),

    CONSTRAINT "resource_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "change" (
    "resource_version" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slice" TEXT NOT NULL,
    "intent" BOOLEAN NOT NULL,
    "row" JSONB NOT NULL,
    "old_labels" JSONB,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "change_pkey" PRIMARY KEY ("resource_version")
);

-- CreateTable
CREATE TABLE "revision" (
    "uid" UUID NOT NULL,
    "generation" BIGINT NOT NULL,
    "spec" JSONB NOT NULL,
    "message" TEXT NOT NULL,
    "author" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "converged_at" TIMESTAMPTZ(3),

    CONSTRAINT "revision_pkey" PRIMARY KEY ("uid","generation")
);

-- CreateTable
CREATE TABLE "event" (
    "id" BIGSERIAL NOT NULL,
    "uid" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "generation" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pass" (
    "id" BIGSERIAL NOT NULL,
    "uid" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "generation" BIGINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "actions" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "pass_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "actor" TEXT NOT NULL,
    "verb" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "uid" UUID,
    "generation" BIGINT,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "outcome" TEXT NOT NULL,
    "error" TEXT,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "slice" TEXT NOT NULL,
    "holder" TEXT,
    "epoch" BIGINT NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "looks" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "lease_pkey" PRIMARY KEY ("slice")
);

-- CreateTable
CREATE TABLE "worker" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "stats" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "kind_control" (
    "kind" TEXT NOT NULL,
    "paused" JSONB,

    CONSTRAINT "kind_control_pkey" PRIMARY KEY ("kind")
);

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "uid" UUID NOT NULL,
    "key_check" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "resource_uid_key" ON "resource"("uid");

-- CreateIndex
CREATE INDEX "resource_slice_id_idx" ON "resource"("slice", "id");

-- CreateIndex
CREATE INDEX "resource_kind_state_idx" ON "resource"("kind", "state");

-- CreateIndex
CREATE UNIQUE INDEX "resource_kind_namespace_name_key" ON "resource"("kind", "namespace", "name");

-- CreateIndex
CREATE INDEX "change_at_idx" ON "change"("at");

-- CreateIndex
CREATE INDEX "revision_at_idx" ON "revision"("at");

-- CreateIndex
CREATE INDEX "event_last_at_idx" ON "event"("last_at");

-- CreateIndex
CREATE UNIQUE INDEX "event_uid_type_reason_message_key" ON "event"("uid", "type", "reason", "message");

-- CreateIndex
CREATE INDEX "pass_uid_id_idx" ON "pass"("uid", "id");

-- CreateIndex
CREATE INDEX "pass_started_at_idx" ON "pass"("started_at");

-- CreateIndex
CREATE INDEX "audit_uid_id_idx" ON "audit"("uid", "id");

-- CreateIndex
CREATE INDEX "audit_at_idx" ON "audit"("at");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

