import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** A grey shape in place of what is loading; give it the final size. Appears after 150 ms. */
export function Skeleton({ className, ...rest }: ComponentProps<"div">) {
  return <div aria-hidden className={cn("h-4 w-full animate-appear rounded bg-hover", className)} {...rest} />;
}

/** Rows of a list that is loading. */
export function SkeletonRows({ rows = 8, className }: { rows?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading" className={cn("flex flex-col divide-y divide-line", className)}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div key={index} className="flex h-10 items-center gap-4 px-4">
          <Skeleton className="w-20" />
          <Skeleton className="w-1/3" />
          <Skeleton className="ml-auto w-24" />
        </div>
      ))}
    </div>
  );
}
