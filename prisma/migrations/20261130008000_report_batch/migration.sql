-- The last batch of reports that each worker wrote: one that is sent again, because its answer was lost, is known by it.
CREATE TABLE "report_batch" (
    "worker" TEXT NOT NULL,
    "batch" TEXT NOT NULL,

    CONSTRAINT "report_batch_pkey" PRIMARY KEY ("worker")
);
-- Rewritten with every batch: room for updates in place.
ALTER TABLE "report_batch" SET (fillfactor = 20);
