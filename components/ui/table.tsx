import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./class-names";

export interface TableProps extends ComponentProps<"table"> {
  /** Says what the table lists; read out, not drawn. */
  caption: string;
  wrapperClassName?: string;
}

/** A real table. What is wider than its place scrolls inside a named, focusable region; the page never does. */
export function Table({ caption, className, wrapperClassName, children, ...rest }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard (WCAG 2.1.1)
    <section aria-label={caption} tabIndex={0} className={cn("focus-inset w-full overflow-x-auto", wrapperClassName)}>
      <table className={cn("w-full border-collapse text-left", className)} {...rest}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}

export function TableHead({ className, ...rest }: ComponentProps<"thead">) {
  return <thead className={cn("text-muted text-xs", className)} {...rest} />;
}

export function TableBody({ className, ...rest }: ComponentProps<"tbody">) {
  return <tbody className={cn("divide-y divide-line", className)} {...rest} />;
}

export function TableRow({ className, ...rest }: ComponentProps<"tr">) {
  return <tr className={cn("hover:bg-hover/60", className)} {...rest} />;
}

export interface ColumnProps extends ComponentProps<"th"> {
  /** Present on columns that can be sorted. */
  sort?: "ascending" | "descending" | "none";
  onSort?: () => void;
  numeric?: boolean;
}

export function Column({ sort, onSort, numeric, className, children, ...rest }: ColumnProps) {
  return (
    <th
      scope="col"
      aria-sort={sort}
      className={cn("h-8 whitespace-nowrap border-line border-b px-3 font-medium first:pl-4 last:pr-4", numeric && "text-right", className)}
      {...rest}
    >
      {onSort ? (
        <button type="button" onClick={onSort} className="focus-inset -mx-1 inline-flex h-6 items-center gap-1 rounded px-1 hover:text-fg">
          {children}
          <SortMark sort={sort} />
        </button>
      ) : (
        children
      )}
    </th>
  );
}

function SortMark({ sort }: Pick<ColumnProps, "sort">): ReactNode {
  const Icon = sort === "ascending" ? ArrowUp : sort === "descending" ? ArrowDown : ChevronsUpDown;
  return <Icon aria-hidden className={cn("size-3", sort === "none" && "opacity-50")} />;
}

export function Cell({ numeric, className, ...rest }: ComponentProps<"td"> & { numeric?: boolean }) {
  return <td className={cn("h-10 px-3 py-1.5 align-middle first:pl-4 last:pr-4", numeric && "nums text-right", className)} {...rest} />;
}
