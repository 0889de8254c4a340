import { cn } from "@/components/ui/class-names";

/** An object's labels as small tags; the first few where room is short, the rest counted. */
export function Labels({
  labels,
  limit = 50,
  className,
}: {
  labels: Record<string, string> | undefined;
  limit?: number;
  className?: string;
}) {
  const all = Object.entries(labels ?? {});
  if (all.length === 0) return null;
  const left = all.length - limit;
  return (
    <ul aria-label="Labels" className={cn("flex min-w-0 flex-wrap gap-1", className)}>
      {all.slice(0, limit).map(([key, value]) => (
        <li key={key} className="max-w-full truncate rounded bg-sunken px-1.5 text-2xs text-muted leading-5 ring-1 ring-line ring-inset">
          {value === "" ? key : `${key}=${value}`}
        </li>
      ))}
      {left > 0 ? <li className="text-2xs text-muted leading-5">+{left}</li> : null}
    </ul>
  );
}
