import { fillOf, type Series } from "./series";

export interface ProportionBarProps {
  parts: readonly (Series & { value: number })[];
  /** What it shows, for those who do not see it. */
  label: string;
}

/** One bar divided by shares. Always stands beside the same numbers in words. */
export function ProportionBar({ parts, label }: ProportionBarProps) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  if (total === 0) return null;
  return (
    <div role="img" aria-label={label} className="flex h-2 w-full gap-0.5 overflow-hidden rounded-full bg-sunken">
      {parts
        .filter((part) => part.value > 0)
        .map((part) => (
          <span
            key={part.key}
            className="h-full min-w-1"
            style={{ width: `${(100 * part.value) / total}%`, background: fillOf(part.tone) }}
          />
        ))}
    </div>
  );
}
