import { Callout } from "@/components/ui/callout";
import { asApiError } from "@/lib/client";

/** Why an action did not happen, read out at once. Nothing while nothing failed. */
export function ActionFailed({ error }: { error: Error | null }) {
  if (!error) return null;
  const { message, advice, causes, requestId } = asApiError(error);
  return (
    <Callout role="alert" tone="bad" title={message} className="mt-3">
      {causes.length > 0 ? (
        <ul className="list-disc pl-4">
          {causes.map((cause) => (
            <li key={`${cause.field} ${cause.message}`}>
              <span className="font-mono text-xs">{cause.field}</span>: {cause.message}
            </li>
          ))}
        </ul>
      ) : null}
      {advice ? <p>{advice}</p> : null}
      {requestId ? <p className="font-mono text-muted text-xs">request {requestId}</p> : null}
    </Callout>
  );
}
