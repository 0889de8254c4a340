import { Countdown, RelativeTime } from "@/components/layout/time";
import { Callout } from "@/components/ui/callout";
import type { ApiObject, PassEntry } from "@/lib/api/contract";
import { REASONS } from "@/lib/errors";

export interface FailingNowProps {
  pass: PassEntry;
  /** Earlier attempts in a row that failed the same way. */
  earlier: number;
  object: ApiObject;
}

/** The error that stands in the way now, verbatim, above everything that went well. */
export function FailingNow({ pass, earlier, object }: FailingNowProps) {
  const failed = pass.actions.find((action) => action.outcome === "failed");
  const error = failed?.error ?? pass.message;
  const advice = pass.reason in REASONS ? REASONS[pass.reason as keyof typeof REASONS].advice : undefined;
  const next = object.status?.nextAttempt;
  return (
    <Callout tone="bad" title={`Failing now: ${pass.reason}`} className="mb-4">
      {failed ? (
        <p>
          {failed.message} <span className="font-mono text-xs">({failed.target})</span>
        </p>
      ) : null}
      <pre className="my-1 whitespace-pre-wrap break-words font-mono text-xs">{error}</pre>
      {advice ? <p>{advice}</p> : null}
      <p className="mt-1 text-muted text-xs">
        Attempt {pass.attempt}, <RelativeTime at={pass.startedAt} />
        {earlier > 0 ? `, after ${earlier} with the same error` : ""}
        {next ? (
          <>
            {". Next attempt "}
            <Countdown to={next.at} />
          </>
        ) : null}
      </p>
    </Callout>
  );
}
