"use client";

import { useId } from "react";
import { RelativeTime } from "@/components/layout/time";
import { Callout } from "@/components/ui/callout";
import { Checkbox } from "@/components/ui/checkbox";
import { type EditPlan, pathText } from "@/lib/ownership";

export interface TakeOverProps {
  standing: EditPlan["standing"];
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Somebody stands behind fields that are changed here: said by name, and taken over only on purpose. */
export function TakeOver({ standing, checked, onChange }: TakeOverProps) {
  const id = useId();
  const managers = [...new Set(standing.map(({ manager }) => manager.manager))];
  const who = managers.join(", ");
  const fields = standing.length === 1 ? "this field" : `these ${standing.length} fields`;
  return (
    <Callout tone="warn" title={standing.length === 1 ? "You change a field of somebody else" : "You change fields of somebody else"}>
      <ul className="my-1">
        {standing.map(({ manager, path, time }) => (
          <li key={`${manager.manager} ${path.join(" ")}`}>
            <span className="font-mono text-xs break-all">{pathText(path).slice(1)}</span> is applied by{" "}
            <span className="font-medium break-all">{manager.manager}</span>
            <span className="text-muted">
              , last <RelativeTime at={time} />
            </span>
          </li>
        ))}
      </ul>
      <label htmlFor={id} className="flex min-h-6 items-start gap-1">
        <Checkbox id={id} checked={checked} onChange={(event) => onChange(event.target.checked)} />
        <span>
          Take over {fields}. The next time {who} applies another value, it is refused, until it takes{" "}
          {standing.length === 1 ? "it" : "them"} back.
        </span>
      </label>
    </Callout>
  );
}
