import type { ResourcePage } from "@/lib/api/contract";
import { describeFilter, type Filter, matchQuery } from "./filter";
import { countSelected, type Picked, type Selection } from "./selection";

/** So many names are shown; the rest is counted. */
const NAMES = 10;

interface BulkTargetsProps {
  selection: Selection;
  filter: Filter;
  page: ResourcePage | undefined;
}

/** Exactly what a bulk action will be sent for. */
export function BulkTargets({ selection, filter, page }: BulkTargetsProps) {
  const named: readonly Picked[] = selection.all ? (page?.rows ?? []) : [...selection.picked.values()];
  const count = countSelected(selection, page?.total ?? 0);
  const shown = named.slice(0, NAMES);
  return (
    <div className="mb-4 flex flex-col gap-2 rounded-lg border border-line bg-sunken px-3 py-2.5">
      {selection.all ? <Query filter={filter} /> : null}
      <p className="text-muted text-xs">{byKind(selection, filter, page)}</p>
      <ul className="flex flex-col gap-0.5 text-xs">
        {shown.map((item) => (
          <li key={item.uid} className="break-words">
            <span className="text-muted">
              {item.kind} {item.namespace}/
            </span>
            <span className="font-medium">{item.name}</span>
          </li>
        ))}
        {count > shown.length ? <li className="nums text-muted">and {(count - shown.length).toLocaleString("en")} more</li> : null}
      </ul>
    </div>
  );
}

function Query({ filter }: { filter: Filter }) {
  const words = describeFilter(filter);
  const query = matchQuery(filter);
  return (
    <p className="break-words">
      <span className="font-medium">Everything that matches: </span>
      {words.length > 0 ? words.join(", ") : "no filter is set – all resources"}
      {query ? <code className="mt-0.5 block break-all font-mono text-muted text-xs">{query}</code> : null}
    </p>
  );
}

function byKind(selection: Selection, filter: Filter, page: ResourcePage | undefined): string {
  const counts = new Map<string, number>();
  if (selection.all) {
    for (const [kind, count] of Object.entries(page?.facets.kind ?? {}))
      if (count > 0 && (filter.kind.length === 0 || filter.kind.includes(kind))) counts.set(kind, count);
  } else {
    for (const { kind } of selection.picked.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`).join(" · ");
}
