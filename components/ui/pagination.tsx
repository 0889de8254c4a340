import { ChevronLeft, ChevronRight } from "lucide-react";
import { IconButton } from "./button";

export interface PaginationProps {
  page: number;
  /** Rows on a page. */
  limit: number;
  total: number;
  onPage: (page: number) => void;
  /** What is counted: "resources". */
  noun: string;
}

/** Pages by number; says which rows are shown, out of how many. */
export function Pagination({ page, limit, total, onPage, noun }: PaginationProps) {
  const last = Math.max(1, Math.ceil(total / limit));
  const from = total === 0 ? 0 : (page - 1) * limit + 1;
  const to = Math.min(total, page * limit);
  return (
    <nav aria-label={`Pages of ${noun}`} className="flex flex-wrap items-center justify-between gap-2 px-4 py-2 text-muted text-xs">
      <p className="nums">
        {from.toLocaleString("en")}–{to.toLocaleString("en")} of {total.toLocaleString("en")} {noun}
      </p>
      <div className="flex items-center gap-1">
        <IconButton label="Previous page" size="sm" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeft aria-hidden />
        </IconButton>
        <span className="nums px-1">
          Page {page} of {last}
        </span>
        <IconButton label="Next page" size="sm" disabled={page >= last} onClick={() => onPage(page + 1)}>
          <ChevronRight aria-hidden />
        </IconButton>
      </div>
    </nav>
  );
}
