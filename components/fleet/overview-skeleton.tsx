import { Card } from "@/components/ui/card";
import { Skeleton, SkeletonRows } from "@/components/ui/skeleton";

/** The Overview's shape while nothing has come. */
export function OverviewSkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        {["a", "b", "c", "d"].map((key) => (
          <Card key={key} className="min-h-32 px-4 py-3">
            <Skeleton className="h-3 w-24" />
            <Skeleton className="mt-3 h-7 w-16" />
            <Skeleton className="mt-3 h-3 w-3/4" />
          </Card>
        ))}
      </div>
      <Card>
        <SkeletonRows rows={5} />
      </Card>
      <Card className="h-64 p-4">
        <Skeleton className="h-full" />
      </Card>
    </div>
  );
}
