"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input, Select, Textarea } from "@/components/ui/input";
import { systemClock } from "@/lib/clock";
import { DEFAULT_EXPIRY, EXPIRIES, type Expiry, expiryIso, PAUSE_REASONS, pauseProblem } from "./expiry";

export interface PauseWish {
  reason: string;
  until?: string;
}

export interface PauseFormProps {
  /** Id for a submit button outside the form. */
  id: string;
  onPause: (wish: PauseWish) => void;
}

/** Why and for how long. It ends by itself unless "Until resumed" is chosen on purpose. */
export function PauseForm({ id, onPause }: PauseFormProps) {
  const [reason, setReason] = useState("");
  const [expiry, setExpiry] = useState<Expiry>(DEFAULT_EXPIRY);
  const [chosen, setChosen] = useState("");
  const [problem, setProblem] = useState<ReturnType<typeof pauseProblem>>();
  const send = () => {
    const now = systemClock.now();
    const found = pauseProblem(reason, expiry, now, chosen);
    setProblem(found);
    if (!found) onPause({ reason: reason.trim(), until: expiryIso(expiry, now, chosen) });
  };
  return (
    <form
      id={id}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Field label="Reason" error={problem?.field === "reason" ? problem.message : undefined}>
        {(control) => (
          <Textarea {...control} rows={2} maxLength={500} value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
        )}
      </Field>
      <fieldset className="-mt-1 flex flex-wrap gap-1.5">
        <legend className="sr-only">Common reasons</legend>
        {PAUSE_REASONS.map((preset) => (
          <Button key={preset} size="sm" variant="ghost" className="border-line" onClick={() => setReason(preset)}>
            {preset}
          </Button>
        ))}
      </fieldset>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Ends after"
          hint={expiry === "never" ? "It stays paused until somebody resumes it." : "Then the loop acts again by itself."}
        >
          {(control) => (
            <Select {...control} value={expiry} onChange={(event) => setExpiry(expiryOf(event.currentTarget.value))}>
              {EXPIRIES.map((option) => (
                <option key={option.value} value={option.value}>
                  {option.label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {expiry === "at" ? (
          <Field label="Until (your time zone)" error={problem?.field === "until" ? problem.message : undefined}>
            {(control) => (
              <Input {...control} type="datetime-local" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)} />
            )}
          </Field>
        ) : null}
      </div>
    </form>
  );
}

function expiryOf(text: string): Expiry {
  return EXPIRIES.find((option) => option.value === text)?.value ?? DEFAULT_EXPIRY;
}
