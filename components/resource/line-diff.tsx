import { cn } from "@/components/ui/class-names";
import { type DiffLine, lineDiff } from "./difference";

const WORDS = { "+": "added", "-": "removed", " ": "", "…": "" } as const;

/** A unified diff of two texts, one column, fit for a phone. Each line says by glyph, not only by colour, what became of it. */
export function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = lineDiff(before, after);
  if (lines.length === 0) return null;
  return (
    // A scrolling region must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto rounded-md border border-line bg-sunken">
      <table className="w-full border-collapse font-mono text-xs leading-5">
        <caption className="sr-only">{label}</caption>
        <tbody>{lines.map(Line)}</tbody>
      </table>
    </section>
  );
}

function Line(line: DiffLine, index: number) {
  const key = `${index}-${line.before ?? ""}-${line.after ?? ""}`;
  if (line.glyph === "…") {
    return (
      <tr key={key} className="text-muted">
        <td colSpan={4} className="px-3 py-0.5 text-center">
          {line.text}
        </td>
      </tr>
    );
  }
  return (
    <tr key={key} className={cn(line.glyph === "+" && "bg-ok-soft text-ok", line.glyph === "-" && "bg-bad-soft text-bad")}>
      <td className="w-9 select-none pr-1 text-right text-muted">{line.before}</td>
      <td className="w-9 select-none pr-2 text-right text-muted">{line.after}</td>
      <td className="w-4 select-none text-center font-semibold">
        <span aria-hidden="true">{line.glyph}</span>
        <span className="sr-only">{WORDS[line.glyph]}</span>
      </td>
      <td className="whitespace-pre-wrap break-all pr-3">{line.text}</td>
    </tr>
  );
}
