"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { systemClock } from "@/lib/clock";
import { Button, IconButton } from "./button";

export interface CopyButtonProps {
  text: string;
  /** What is copied: "Copy link". */
  label: string;
  /** Shows the label beside the icon. */
  showLabel?: boolean;
}

export function CopyButton({ text, label, showLabel = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | undefined>();
  useEffect(() => (outcome ? systemClock.after(2000, () => setOutcome(undefined)) : undefined), [outcome]);
  const copy = () =>
    copyText(text).then(
      () => setOutcome("copied"),
      () => setOutcome("refused"),
    );
  const icon = outcome === "copied" ? <Check aria-hidden /> : <Copy aria-hidden />;
  const said = outcome === "copied" ? "Copied" : outcome === "refused" ? "Could not copy" : label;
  return (
    <>
      {showLabel ? (
        <Button size="sm" onClick={copy}>
          {icon}
          {said}
        </Button>
      ) : (
        <IconButton label={said} size="sm" onClick={copy}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {outcome ? said : ""}
      </span>
    </>
  );
}

async function copyText(text: string): Promise<void> {
  if (!navigator.clipboard) throw new Error("This browser lets only pages served over HTTPS or from localhost copy.");
  await navigator.clipboard.writeText(text);
}
