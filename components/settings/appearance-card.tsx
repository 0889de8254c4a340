"use client";

import { type ReactNode, useId } from "react";
import { type Preferences, usePreference } from "@/components/layout/preferences";
import { Card, CardHeader } from "@/components/ui/card";
import { Segmented } from "@/components/ui/segmented";
import { Switch } from "@/components/ui/switch";

const THEMES: { value: Preferences["theme"]; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const ZONES: { value: Preferences["zone"]; label: string }[] = [
  { value: "utc", label: "UTC" },
  { value: "local", label: "Local" },
];

/** What a person chooses for this browser. */
export function AppearanceCard() {
  const [theme, setTheme] = usePreference("theme");
  const [zone, setZone] = usePreference("zone");
  const [shortcuts, setShortcuts] = usePreference("shortcuts");
  const id = useId();
  return (
    <Card aria-labelledby="appearance">
      <CardHeader id="appearance" title="This browser" description="Kept in this browser only" />
      <div className="divide-y divide-line border-line border-t">
        <Row label="Theme">
          <Segmented label="Theme" value={theme} onValueChange={setTheme} options={THEMES} />
        </Row>
        <Row label="Times">
          <Segmented label="Times" value={zone} onValueChange={setZone} options={ZONES} />
        </Row>
        <Row
          label={<span id={id}>Single-key shortcuts</span>}
          hint="Keys such as g r, / and ?. Switch them off if you use speech input or a screen reader that sends single keys."
        >
          <Switch aria-labelledby={id} checked={shortcuts === "on"} onCheckedChange={(on) => setShortcuts(on ? "on" : "off")} />
        </Row>
      </div>
    </Card>
  );
}

function Row({ label, hint, children }: { label: ReactNode; hint?: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium">{label}</p>
        {hint ? <p className="text-muted text-xs">{hint}</p> : null}
      </div>
      {children}
    </div>
  );
}
