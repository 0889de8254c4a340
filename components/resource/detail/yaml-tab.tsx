"use client";

import { useState } from "react";
import { stringify } from "yaml";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { Segmented } from "@/components/ui/segmented";
import type { ApiObject } from "@/lib/api/contract";
import { type ObjectRef, objectPath } from "@/lib/client";
import { withoutComputed } from "../history";

/** The object as the API gives it; secrets are digests there too. */
export function YamlTab({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const [format, setFormat] = useState<"yaml" | "json">("yaml");
  const [wrap, setWrap] = useState(false);
  const stored = withoutComputed(object);
  const text = format === "yaml" ? stringify(stored, { lineWidth: 0 }) : JSON.stringify(stored, null, 2);
  return (
    <section aria-label="The whole object as text">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Segmented
          label="Format"
          value={format}
          onValueChange={setFormat}
          options={[
            { value: "yaml", label: "YAML" },
            { value: "json", label: "JSON" },
          ]}
        />
        <Button size="sm" variant="ghost" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
          {wrap ? "Do not wrap lines" : "Wrap lines"}
        </Button>
        <span className="flex-1" />
        <CopyButton showLabel text={text} label={`Copy ${format.toUpperCase()}`} />
        <CopyButton showLabel text={curlFor(of)} label="Copy as curl" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard (WCAG 2.1.1) */}
      <section aria-label="Text" tabIndex={0} className="max-h-[70dvh] overflow-auto rounded-lg border border-line bg-sunken p-3">
        <pre className={`font-mono text-xs leading-5 ${wrap ? "whitespace-pre-wrap break-all" : ""}`}>{text}</pre>
      </section>
    </section>
  );
}

function curlFor(of: ObjectRef): string {
  const origin = typeof window === "undefined" ? "" : window.location.origin;
  return `curl -H "Authorization: Bearer $SETPOINT_TOKEN" '${origin}${objectPath(of)}'`;
}
