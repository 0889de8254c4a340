"use client";

import { CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import { Badge } from "@/components/ui/badge";
import { pathText } from "../document";
import type { Problem } from "./problems";

/** Everything to put right, in the document's order; choosing one goes there. */
export function ProblemList({
  problems,
  confirmed,
  onGo,
}: {
  problems: readonly Problem[];
  confirmed: boolean;
  onGo: (index: number) => void;
}) {
  if (problems.length === 0)
    return (
      <p className="flex items-center gap-1.5 text-muted">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />
        {confirmed ? "Nothing to put right; the server agrees." : "Nothing to put right."}
      </p>
    );
  return (
    <ul className="-mx-2 flex flex-col">
      {problems.map((problem, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: problems have no identity beyond their order
        <li key={index}>
          <button
            type="button"
            onClick={() => onGo(index)}
            className="focus-inset flex w-full items-start gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover"
          >
            {problem.missing ? (
              <CircleDashed aria-label="To fill in" className="mt-0.5 size-4 shrink-0 text-muted" />
            ) : (
              <CircleAlert aria-label="Wrong" className="mt-0.5 size-4 shrink-0 text-bad" />
            )}
            <span className="min-w-0 flex-1 break-words">
              {problem.path && problem.path.length > 0 ? <span className="font-mono text-xs">{pathText(problem.path)} </span> : null}
              {problem.message}
              <span className="text-muted text-xs"> · line {problem.place.line}</span>
            </span>
            {problem.source === "server" ? <Badge>server</Badge> : null}
          </button>
        </li>
      ))}
    </ul>
  );
}
