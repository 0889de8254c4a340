import { PageBody } from "@/components/layout/page-header";
import { Skeleton, SkeletonRows } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <PageBody>
      <Skeleton className="mb-6 h-7 w-48" />
      <SkeletonRows rows={10} className="rounded-lg border border-line bg-surface" />
    </PageBody>
  );
}
