import { Select } from "@/components/ui/input";
import { SORT_FIELDS, type Sort, type SortField } from "./filter";

const WORDS: Record<SortField, string> = {
  name: "Name",
  kind: "Kind",
  state: "State",
  driftCount: "Drift",
  attempts: "Failed attempts",
  nextAttemptAt: "Next attempt",
  lastConvergedAt: "Converged",
  createdAt: "Created",
};

interface SortChoiceProps {
  sort: Sort;
  onSort: (sort: Sort) => void;
  className?: string;
}

/** Sorting where there are no column heads to click. */
export function SortChoice({ sort, onSort, className }: SortChoiceProps) {
  return (
    <Select
      aria-label="Sort by"
      className={`${className ?? ""} w-auto`}
      value={`${sort.descending ? "-" : ""}${sort.field}`}
      onChange={(event) => {
        const text = event.currentTarget.value;
        const field = SORT_FIELDS.find((known) => known === text.replace(/^-/, ""));
        if (field) onSort({ field, descending: text.startsWith("-") });
      }}
    >
      {SORT_FIELDS.flatMap((field) => [
        <option key={field} value={field}>{`${WORDS[field]} ↑`}</option>,
        <option key={`-${field}`} value={`-${field}`}>{`${WORDS[field]} ↓`}</option>,
      ])}
    </Select>
  );
}
