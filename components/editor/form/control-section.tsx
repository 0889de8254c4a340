"use client";

import { useState } from "react";
import { AbsoluteTime } from "@/components/layout/time";
import { DEFAULT_EXPIRY, EXPIRIES, type Expiry, expiryIso } from "@/components/resource/expiry";
import { Field } from "@/components/ui/field";
import { Input, Select } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import { Switch } from "@/components/ui/switch";
import { systemClock } from "@/lib/clock";
import { type Path, pathId, removeAt, setAt, valueAt } from "../document";
import { useFault, useForm } from "./context";

const MODE: Path = ["control", "mode"];
const PAUSED: Path = ["control", "paused"];
const REASON: Path = [...PAUSED, "reason"];
const UNTIL: Path = [...PAUSED, "until"];

const MODES = [
  { value: "Auto", label: "Auto", said: "Setpoint acts as soon as reality differs." },
  { value: "DryRun", label: "Dry run", said: "The plan is shown and never applied." },
  { value: "Observe", label: "Observe", said: "Drift is shown, no plan is made." },
] as const;

/** How it starts: acting, only planning, only looking, or paused. */
export function ControlSection() {
  const { value, edit } = useForm();
  const mode = valueAt(value, MODE) ?? "Auto";
  const paused = valueAt(value, PAUSED) !== undefined;
  const setMode = (next: string) => edit((text) => (next === "Auto" ? tidy(removeAt(text, MODE)) : setAt(text, MODE, next)));
  const setPaused = (next: boolean) => {
    const until = expiryIso(DEFAULT_EXPIRY, systemClock.now());
    edit((text) => (next ? setAt(text, PAUSED, { reason: "", ...(until ? { until } : {}) }) : tidy(removeAt(text, PAUSED))));
  };
  return (
    <fieldset id={pathId(["control"])} className="min-w-0 rounded-lg border border-line px-3 pt-2 pb-3">
      <legend className="px-1 font-medium">How it starts</legend>
      <div className="flex flex-col gap-3">
        <div id={pathId(MODE)}>
          <Segmented label="Mode" value={String(mode)} onValueChange={setMode} options={MODES} />
          <p className="mt-1 text-muted text-xs">{MODES.find((option) => option.value === mode)?.said}</p>
        </div>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is the control */}
        <label className="flex items-center gap-3">
          <Switch checked={paused} onCheckedChange={setPaused} />
          <span>
            <span className="font-medium">Save paused</span>
            <span className="block text-muted text-xs">Nothing is done until somebody resumes it or the pause ends.</span>
          </span>
        </label>
        {paused ? <PauseFields /> : null}
      </div>
    </fieldset>
  );
}

/** A `control` that says nothing is not written. */
function tidy(text: string): string {
  return /^control: *\{\}\s*$/m.test(text) ? removeAt(text, ["control"]) : text;
}

function EndOf({ until }: { until: string }) {
  return (
    <>
      Ends <AbsoluteTime at={until} never={until} />
    </>
  );
}

function PauseFields() {
  const { value, edit, touch } = useForm();
  const fault = useFault(REASON);
  const reason = valueAt(value, REASON);
  const until = valueAt(value, UNTIL);
  const [expiry, setExpiry] = useState<Expiry>(typeof until === "string" ? DEFAULT_EXPIRY : "never");
  const choose = (next: Expiry) => {
    setExpiry(next);
    const at = expiryIso(next, systemClock.now());
    edit((text) => (at ? setAt(text, UNTIL, at) : removeAt(text, UNTIL)));
  };
  return (
    <div className="flex flex-col gap-3 sm:flex-row">
      <div id={pathId(REASON)} className="min-w-0 flex-1">
        <Field label="Reason for the pause" error={fault}>
          {(control) => (
            <Input
              {...control}
              onBlur={() => touch(REASON)}
              value={typeof reason === "string" ? reason : ""}
              onChange={(event) => edit((text) => setAt(text, REASON, event.target.value))}
            />
          )}
        </Field>
      </div>
      <Field label="For" hint={typeof until === "string" ? <EndOf until={until} /> : undefined} className="sm:w-44">
        {(control) => (
          <Select
            {...control}
            value={expiry}
            onChange={(event) => choose(EXPIRIES.find((option) => option.value === event.target.value)?.value ?? "never")}
          >
            {EXPIRIES.filter((option) => option.value !== "at").map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  );
}
