import type { ReactNode } from "react";
import { cn } from "./class-names";

/** Name and value pairs. */
export function DescriptionList({ items, className }: { items: readonly { term: ReactNode; value: ReactNode }[]; className?: string }) {
  return (
    <dl className={cn("grid grid-cols-1 gap-x-6 gap-y-1.5 sm:grid-cols-[max-content_1fr]", className)}>
      {items.map(({ term, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed where it is written
        <div key={index} className="contents">
          <dt className="text-muted">{term}</dt>
          <dd className="min-w-0 break-words text-fg max-sm:mb-2">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
