"use client";

import { X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Card, CardBody, CardHeader } from "@/components/ui/card";
import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/input";
import type { RevisionEntry } from "@/lib/api/contract";
import { DifferenceList } from "../difference-list";
import { compareRevisions } from "../history";

interface RevisionCompareProps {
  revisions: readonly RevisionEntry[];
  from: RevisionEntry;
  to: RevisionEntry;
  /** The object's generation now. */
  newest: number;
  onChange: (compared: { from: number; to: number }) => void;
  onClose: () => void;
}

/** Any two versions of intent, from the older to the newer. What is shown stays put when the object changes; a banner says so. */
export function RevisionCompare({ revisions, from, to, newest, onChange, onClose }: RevisionCompareProps) {
  const [openedAt, setOpenedAt] = useState(newest);
  const compared = compareRevisions(from, to);
  return (
    <Card>
      <CardHeader
        title={`Generation ${compared.from.generation} → ${compared.to.generation}`}
        description={`${compared.diff.length} ${compared.diff.length === 1 ? "field differs" : "fields differ"}`}
        actions={
          <IconButton label="Close the comparison" size="sm" onClick={onClose}>
            <X aria-hidden />
          </IconButton>
        }
      />
      <CardBody className="flex flex-col gap-3">
        {newest > openedAt ? (
          <Callout
            tone="info"
            title={`Changed meanwhile: generation ${newest} exists now`}
            actions={
              <Button
                size="sm"
                onClick={() => {
                  setOpenedAt(newest);
                  onChange({ from: compared.from.generation, to: newest });
                }}
              >
                Compare with {newest}
              </Button>
            }
          />
        ) : null}
        <div className="flex flex-wrap gap-3">
          <Choice
            label="From"
            value={from.generation}
            revisions={revisions}
            onChoose={(generation) => onChange({ from: generation, to: to.generation })}
          />
          <Choice
            label="To"
            value={to.generation}
            revisions={revisions}
            onChoose={(generation) => onChange({ from: from.generation, to: generation })}
          />
        </div>
        <DifferenceList diff={compared.diff} caption={`From generation ${compared.from.generation} to ${compared.to.generation}`} />
      </CardBody>
    </Card>
  );
}

interface ChoiceProps {
  label: string;
  value: number;
  revisions: readonly RevisionEntry[];
  onChoose: (generation: number) => void;
}

function Choice({ label, value, revisions, onChoose }: ChoiceProps) {
  return (
    <Field label={label} className="w-56 max-w-full">
      {(control) => (
        <Select {...control} value={value} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
          {revisions.map((revision) => (
            <option key={revision.generation} value={revision.generation}>
              {`${revision.generation} – ${revision.message || revision.author}`}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
