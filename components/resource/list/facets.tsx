import { StatusIcon } from "@/components/layout/status-badge";
import { stateLook } from "@/components/layout/status-look";
import type { Tone } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Popover } from "@/components/ui/popover";
import type { ResourcePage } from "@/lib/api/contract";
import { STATES, type State } from "@/lib/resource";
import type { FacetName, Filter } from "./filter";

const TITLES: Record<FacetName, string> = { state: "State", kind: "Kind", namespace: "Namespace", mode: "Mode" };
const MODE_WORDS: Record<string, string> = { Auto: "Auto", DryRun: "Dry-run", Observe: "Observe" };
const TONES: Record<Tone, string> = {
  neutral: "text-muted",
  ok: "text-ok",
  info: "text-info",
  drift: "text-drift",
  warn: "text-warn",
  bad: "text-bad",
  calm: "text-calm",
  accent: "text-accent",
};
/** More values than this are kept behind "more". */
const IN_VIEW = 8;

interface FacetsProps {
  filter: Filter;
  facets: ResourcePage["facets"] | undefined;
  onToggle: (facet: FacetName, value: string) => void;
  onDrifted: (drifted: boolean) => void;
}

/** What the list can be narrowed to, each with how many there are. */
export function Facets({ filter, facets, onToggle, onDrifted }: FacetsProps) {
  const names: FacetName[] = ["state", "kind", "namespace", "mode"];
  return (
    <>
      {names.map((name) => (
        <Facet key={name} name={name} chosen={filter[name]} counts={facets?.[name]} onToggle={(value) => onToggle(name, value)} />
      ))}
      <fieldset className="flex min-w-0 flex-wrap items-center gap-1">
        <legend className="sr-only">Drift</legend>
        <Chip pressed={filter.drifted} onClick={() => onDrifted(!filter.drifted)}>
          With drift
        </Chip>
      </fieldset>
    </>
  );
}

interface FacetProps {
  name: FacetName;
  chosen: readonly string[];
  counts: Record<string, number> | undefined;
  onToggle: (value: string) => void;
}

function Facet({ name, chosen, counts, onToggle }: FacetProps) {
  const values = valuesOf(name, chosen, counts);
  // State and kind stay where they are; the others say nothing while there is only one value.
  const steady = name === "state" || name === "kind";
  if (values.length < (steady ? 1 : 2) && chosen.length === 0) return null;
  const shown = values.slice(0, IN_VIEW);
  const hidden = values.slice(IN_VIEW);
  const chip = (value: string) => (
    <FacetChip
      key={value}
      name={name}
      value={value}
      count={counts?.[value] ?? 0}
      pressed={chosen.includes(value)}
      onClick={() => onToggle(value)}
    />
  );
  return (
    <fieldset className="flex min-w-0 flex-wrap items-center gap-1">
      <legend className="sr-only">{TITLES[name]}</legend>
      <span aria-hidden className="mr-0.5 text-muted text-xs">
        {TITLES[name]}
      </span>
      {shown.map(chip)}
      {hidden.length > 0 ? (
        <Popover
          label={`More values of ${TITLES[name]}`}
          trigger={
            <Button size="sm" variant="ghost">
              {hidden.length} more
            </Button>
          }
        >
          <div className="flex max-w-80 flex-wrap gap-1">{hidden.map(chip)}</div>
        </Popover>
      ) : null}
    </fieldset>
  );
}

/** Chosen values stay in view even when nothing matches them now; states keep their order, the rest go by count. */
function valuesOf(name: FacetName, chosen: readonly string[], counts: Record<string, number> | undefined): string[] {
  const present = Object.entries(counts ?? {}).filter(([, count]) => count > 0);
  const values = new Set([...chosen, ...present.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([value]) => value)]);
  if (name === "state") return STATES.filter((state) => values.has(state));
  return [...values];
}

interface FacetChipProps {
  name: FacetName;
  value: string;
  count: number;
  pressed: boolean;
  onClick: () => void;
}

function FacetChip({ name, value, count, pressed, onClick }: FacetChipProps) {
  const state = name === "state" ? STATES.find((known): known is State => known === value) : undefined;
  const look = state ? stateLook(state) : undefined;
  return (
    <Chip pressed={pressed} onClick={onClick} count={count}>
      {look ? <StatusIcon look={look} className={TONES[look.tone]} /> : null}
      {look?.label ?? (name === "mode" ? (MODE_WORDS[value] ?? value) : value)}
    </Chip>
  );
}

interface ChipProps {
  pressed: boolean;
  onClick: () => void;
  count?: number;
  children: React.ReactNode;
}

function Chip({ pressed, onClick, count, children }: ChipProps) {
  return (
    <Button
      size="sm"
      aria-pressed={pressed}
      onClick={onClick}
      className={cn("h-6 gap-1 px-2 font-normal [&_svg]:size-3.5", pressed ? "border-accent bg-accent-soft text-accent" : "border-line")}
    >
      {children}
      {count === undefined ? null : <span className={cn("nums text-2xs", pressed ? "" : "text-muted")}>{count.toLocaleString("en")}</span>}
    </Button>
  );
}
