import type { ReactNode } from "react";
import { cn } from "@/components/ui/class-names";
import type { Comparison } from "@/lib/resource";
import { asTexts, type FieldGroup } from "./difference";
import { LineDiff } from "./line-diff";
import { Value } from "./value";

/** What the two sides are called: desired against actual, or new against old. */
export interface SideNames {
  desired: string;
  actual: string;
}

export interface FieldTableProps {
  groups: readonly FieldGroup[];
  names: SideNames;
  caption: string;
  /** What was stands before what is to be. */
  actualFirst?: boolean;
  /** What stands under a field's name, e.g. whose it is. */
  note?: (path: string) => ReactNode;
}

/** Fields side by side, grouped; on a phone each field becomes a small block of its own. A difference says so in words and by glyph. */
export function FieldTable({ groups, names, caption, actualFirst = false, note }: FieldTableProps) {
  const order = actualFirst ? (["actual", "desired"] as const) : (["desired", "actual"] as const);
  return (
    <table className="w-full border-collapse text-sm max-sm:block">
      <caption className="sr-only">{caption}</caption>
      <thead className="max-sm:sr-only">
        <tr className="border-b border-line text-left text-xs text-muted">
          <th scope="col" className="w-[28%] py-1.5 pr-3 font-medium">
            Field
          </th>
          {order.map((side) => (
            <th key={side} scope="col" className="w-[31%] py-1.5 pr-3 font-medium">
              {names[side]}
            </th>
          ))}
          <th scope="col" className="w-[10%] py-1.5 font-medium">
            Verdict
          </th>
        </tr>
      </thead>
      {groups.map((group) => (
        <tbody key={group.name} className="max-sm:block">
          {group.fields.map((field) => (
            <FieldRows key={field.path} field={field} names={names} order={order} note={note} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

interface FieldRowsProps extends Pick<FieldTableProps, "names" | "note"> {
  field: Comparison;
  order: readonly ("desired" | "actual")[];
}

function FieldRows({ field, names, order, note }: FieldRowsProps) {
  const texts = field.same ? undefined : asTexts(field.actual, field.desired);
  return (
    <>
      <tr className={cn("border-b border-line/60 align-top max-sm:block max-sm:py-2", texts && "border-b-0")}>
        <th scope="row" className="py-1.5 pr-3 text-left font-normal max-sm:block max-sm:py-0">
          <span className={cn("font-mono text-xs break-all", !field.same && "font-semibold")}>{field.path}</span>
          {field.message ? <span className="block text-xs text-muted">{field.message}</span> : null}
          {note?.(field.path)}
        </th>
        {order.map((side) => (
          <Side key={side} label={names[side]} side={side} field={field} folded={texts !== undefined} />
        ))}
        <td className="py-1.5 text-xs leading-5 max-sm:block max-sm:py-0">
          {field.same ? <span className="text-muted">= same</span> : <span className="font-medium text-warn">≠ differs</span>}
        </td>
      </tr>
      {texts ? (
        <tr className="border-b border-line/60 max-sm:block">
          <td colSpan={4} className="pb-2 max-sm:block">
            <LineDiff
              before={texts.before}
              after={texts.after}
              label={`${field.path}: ${names.actual} to ${names.desired}, line by line`}
            />
          </td>
        </tr>
      ) : null}
    </>
  );
}

interface SideProps {
  label: string;
  field: Comparison;
  side: "desired" | "actual";
  folded: boolean;
}

function Side({ label, field, side, folded }: SideProps) {
  const differs = !field.same;
  const glyph = side === "desired" ? "+" : "−";
  const value = field[side];
  return (
    <td className="py-1.5 pr-3 max-sm:flex max-sm:gap-2 max-sm:py-0.5">
      <span className="w-14 shrink-0 text-xs text-muted sm:hidden">{label}</span>
      <span
        className={cn(
          "inline-flex min-w-0 gap-1.5 rounded px-1",
          differs && (glyph === "+" ? "bg-ok-soft text-ok" : "bg-bad-soft text-bad"),
        )}
      >
        {differs ? (
          <span aria-hidden="true" className="select-none font-mono text-xs font-semibold">
            {glyph}
          </span>
        ) : null}
        {folded && value !== undefined ? <span className="text-xs text-muted">see the lines below</span> : <Value value={value} />}
      </span>
    </td>
  );
}
