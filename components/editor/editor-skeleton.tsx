import { Skeleton } from "@/components/ui/skeleton";

/** The editor's shape while it loads. */
export function EditorSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,26rem)]">
      <div className="flex flex-col gap-4">
        <Skeleton className="h-8 w-40" />
        {["name", "namespace", "labels", "spec", "template"].map((row) => (
          <Skeleton key={row} className="h-14" />
        ))}
      </div>
      <Skeleton className="h-48" />
    </div>
  );
}
