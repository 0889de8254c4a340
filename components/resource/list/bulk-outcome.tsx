import { CircleCheck, CircleX } from "lucide-react";
import { cn } from "@/components/ui/class-names";
import type { BulkAnswer } from "@/lib/api/contract";

/** More lines than this help nobody: the failed ones come first. */
const LINES = 500;

/** What became of each, those that were refused on top. */
export function BulkOutcome({ answer }: { answer: BulkAnswer }) {
  const results = [...answer.results].sort((a, b) => Number(a.ok) - Number(b.ok));
  const failed = results.filter((result) => !result.ok).length;
  return (
    <>
      <p role="status" className={cn("mb-2 font-medium", failed > 0 ? "text-bad" : "text-fg")}>
        {(results.length - failed).toLocaleString("en")} done{failed > 0 ? `, ${failed.toLocaleString("en")} not` : ""}
      </p>
      <ul className="max-h-[50dvh] divide-y divide-line overflow-y-auto rounded-lg border border-line">
        {results.slice(0, LINES).map((result) => (
          <li key={result.uid} className="flex items-start gap-2 px-3 py-1.5">
            {result.ok ? (
              <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
            )}
            <span className="min-w-0 flex-1 break-words">
              <span className="sr-only">{result.ok ? "Done: " : "Not done: "}</span>
              <span className="text-muted text-xs">
                {result.kind} {result.namespace}/
              </span>
              <span className="font-medium">{result.name || result.uid}</span>
              <span className="block text-muted text-xs">{result.message}</span>
            </span>
          </li>
        ))}
      </ul>
      {results.length > LINES ? <p className="mt-1 text-muted text-xs">The first {LINES} are shown.</p> : null}
    </>
  );
}
