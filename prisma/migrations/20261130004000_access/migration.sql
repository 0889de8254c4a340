-- AlterTable
ALTER TABLE "user" ADD COLUMN "groups" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "service_account" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_token" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "user_id" UUID,
    "service_account_id" UUID,
    "scope" JSONB NOT NULL,
    "limits" JSONB NOT NULL DEFAULT '{}',
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_token_pkey" PRIMARY KEY ("id"),
    -- Exactly one owner.
    CONSTRAINT "api_token_owner" CHECK (("user_id" IS NULL) <> ("service_account_id" IS NULL))
);

-- CreateTable
CREATE TABLE "access_role" (
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "rules" JSONB NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "access_role_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "access_binding" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "role" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_namespace" TEXT NOT NULL DEFAULT '',
    "subject_name" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "access_binding_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "service_account_namespace_name_key" ON "service_account"("namespace", "name");

-- CreateIndex
CREATE UNIQUE INDEX "api_token_hash_key" ON "api_token"("hash");

-- CreateIndex
CREATE INDEX "api_token_user_id_idx" ON "api_token"("user_id");

-- CreateIndex
CREATE INDEX "api_token_service_account_id_idx" ON "api_token"("service_account_id");

-- CreateIndex
CREATE UNIQUE INDEX "access_binding_once" ON "access_binding"("subject_kind", "subject_namespace", "subject_name", "role", "namespace");

-- CreateIndex
CREATE INDEX "access_binding_role_idx" ON "access_binding"("role");

-- AddForeignKey
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
