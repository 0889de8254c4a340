import { RelativeTime } from "@/components/layout/time";
import { Badge, type Tone } from "@/components/ui/badge";
import { durationText } from "@/components/ui/time-format";
import type { PassEntry } from "@/lib/api/contract";

type Action = PassEntry["actions"][number];

const OUTCOME: Record<Action["outcome"], { tone: Tone; word: string }> = {
  done: { tone: "ok", word: "done" },
  failed: { tone: "bad", word: "failed" },
  withheld: { tone: "calm", word: "withheld" },
};

const TITLES: Record<string, string> = {
  waiting: "Waiting",
  withheld: "Withheld",
  gone: "Gone",
  converged: "Converged",
};

export function passTitle(pass: PassEntry): string {
  if (pass.outcome === "failed") return `Attempt ${pass.attempt} failed: ${pass.reason}`;
  const [action, ...others] = pass.actions;
  if (pass.outcome === "corrected" && action) return others.length > 0 ? `${action.message} and ${others.length} more` : action.message;
  return `${TITLES[pass.outcome] ?? pass.outcome}: ${pass.reason}`;
}

/** One pass whole: what it tried, in order with what failed first, the error as the target gave it, and the attempts before it. */
export function PassDetail({ pass, earlier }: { pass: PassEntry; earlier: readonly PassEntry[] }) {
  const actions = [...pass.actions].sort((a, b) => Number(b.outcome === "failed") - Number(a.outcome === "failed"));
  return (
    <div className="flex flex-col gap-2">
      {actions.length > 0 ? (
        <ul className="divide-y divide-line rounded-md border border-line">
          {actions.map((action) => (
            <ActionLine key={`${action.type} ${action.target}`} action={action} />
          ))}
        </ul>
      ) : (
        <p className="text-muted text-xs">No action was taken.</p>
      )}
      {pass.message && pass.outcome === "failed" && !actions.some((action) => action.error === pass.message) ? (
        <pre className="whitespace-pre-wrap break-words rounded-md bg-sunken p-2 font-mono text-xs">{pass.message}</pre>
      ) : null}
      <p className="text-muted text-xs">
        Took {durationText(pass.durationMs)} · started by {pass.trigger} · generation {pass.generation} ·{" "}
        <RelativeTime at={pass.startedAt} />
      </p>
      {earlier.length > 0 ? <Earlier passes={earlier} /> : null}
    </div>
  );
}

function ActionLine({ action }: { action: Action }) {
  const { tone, word } = OUTCOME[action.outcome];
  return (
    <li className="px-3 py-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{word}</Badge>
        <span className="font-medium">{`${action.effect} ${action.type}`}</span>
        <span className="break-all font-mono text-xs">{action.target}</span>
      </p>
      <p className="break-words text-muted">{action.message}</p>
      {action.error ? <pre className="mt-1 whitespace-pre-wrap break-words font-mono text-bad text-xs">{action.error}</pre> : null}
    </li>
  );
}

function Earlier({ passes }: { passes: readonly PassEntry[] }) {
  return (
    <ul className="flex flex-col gap-0.5 text-xs" aria-label="Earlier attempts with the same error">
      {passes.map((pass) => (
        <li key={pass.id} className="flex flex-wrap gap-x-2">
          <span className="nums">Attempt {pass.attempt}</span>
          <span className="text-muted">
            <RelativeTime at={pass.startedAt} /> · took {durationText(pass.durationMs)}
          </span>
        </li>
      ))}
    </ul>
  );
}
