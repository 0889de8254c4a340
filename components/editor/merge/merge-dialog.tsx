"use client";

import { useId, useState } from "react";
import { Value } from "@/components/resource/value";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Dialog } from "@/components/ui/dialog";
import { pathKey, pathText } from "../document";
import { type Choice, conflictsOf, type MergeField } from "./three-way";

export interface MergeDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  fields: readonly MergeField[];
  generation: number;
  onMerge: (choices: Record<string, Choice>) => void;
}

/** Somebody saved meanwhile: both sides' changes by field. Only where both changed the same field is there something to choose. */
export function MergeDialog({ open, onOpenChange, fields, generation, onMerge }: MergeDialogProps) {
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const conflicts = conflictsOf(fields);
  const open_ = conflicts.filter((field) => choices[pathKey(field.path)] === undefined).length;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="lg"
      title={`Generation ${generation} was saved while you edited`}
      description="Nothing of yours is lost and nothing of theirs is overwritten. The result is yours to look at before it is saved."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Later</Button>
          <Button variant="primary" disabled={open_ > 0} onClick={() => onMerge(choices)}>
            {open_ > 0 ? `${open_} left to choose` : "Merge into my edit"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {conflicts.length === 0 ? <Callout tone="info">No field was changed by both: the two edits fit together.</Callout> : null}
        {fields.map((field) => (
          <FieldCard
            key={pathKey(field.path)}
            field={field}
            choice={choices[pathKey(field.path)]}
            onChoose={(choice) => setChoices((before) => ({ ...before, [pathKey(field.path)]: choice }))}
          />
        ))}
      </div>
    </Dialog>
  );
}

const SAID: Record<MergeField["changedBy"], string> = {
  theirs: "changed by them: taken",
  mine: "changed by you: kept",
  same: "changed by both, to the same",
  both: "changed by both: choose",
};

function FieldCard({ field, choice, onChoose }: { field: MergeField; choice: Choice | undefined; onChoose: (choice: Choice) => void }) {
  const name = useId();
  const clash = field.changedBy === "both";
  const sides = [
    { side: "base" as const, label: "Before", value: field.base },
    { side: "theirs" as const, label: "Theirs", value: field.theirs },
    { side: "mine" as const, label: "Yours", value: field.mine },
  ];
  return (
    <fieldset className="min-w-0 rounded-lg border border-line px-3 pt-1 pb-3">
      <legend className="flex flex-wrap items-center gap-2 px-1">
        <span className="font-mono text-xs">{pathText(field.path)}</span>
        <Badge tone={clash ? "warn" : "neutral"}>{SAID[field.changedBy]}</Badge>
      </legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {sides.map(({ side, label, value }) => (
          <div key={side} className="min-w-0 rounded-md bg-sunken p-2">
            {clash && side !== "base" ? (
              <label className="flex min-h-6 cursor-pointer items-center gap-2 font-medium">
                <input
                  type="radio"
                  name={name}
                  checked={choice === side}
                  onChange={() => onChoose(side)}
                  className="size-4 accent-accent"
                />
                {side === "mine" ? "Keep yours" : "Take theirs"}
              </label>
            ) : (
              <p className="min-h-6 font-medium text-muted">{label}</p>
            )}
            <Value value={value} />
          </div>
        ))}
      </div>
    </fieldset>
  );
}
