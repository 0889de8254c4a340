import Link from "next/link";
import { Fragment } from "react";
import { Announcement } from "@/components/layout/announcement";
import type { Overview } from "@/lib/api/contract";
import { resourcesHref } from "@/lib/client";
import { stateClauses } from "./sentence";

/** One sentence that says how things are; each number leads to the list that it counts. */
export function StateSentence({ overview }: { overview: Overview }) {
  const clauses = stateClauses(overview);
  const text = clauses.map((clause) => `${clause.count ?? 0} ${clause.text}`).join(", ");
  return (
    <>
      <Announcement text={text} />
      <p data-testid="state-sentence">
        {clauses.map((clause, index) => (
          <Fragment key={clause.text}>
            {index === 0 ? "" : index === 1 ? "; " : ", "}
            <Link
              href={resourcesHref({ state: clause.states })}
              className="nums rounded text-fg underline decoration-line-strong underline-offset-4 hover:decoration-fg"
            >
              {(clause.count ?? 0).toLocaleString("en")} {clause.text}
            </Link>
          </Fragment>
        ))}
        .
      </p>
    </>
  );
}
