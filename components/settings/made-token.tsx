"use client";

import { Callout } from "@/components/ui/callout";
import { CopyButton } from "@/components/ui/copy-button";

/** The one time that a token is seen. */
export function MadeToken({ token }: { token: string }) {
  return (
    <div className="flex flex-col gap-3">
      <Callout tone="warn" title="Copy it now">
        It is shown this once and kept nowhere. Whoever has it can do what it was made for.
      </Callout>
      <code className="break-all rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs" data-token>
        {token}
      </code>
      <div>
        <CopyButton text={token} label="Copy token" showLabel />
      </div>
      <p className="text-muted text-xs">
        Send it as <code className="font-mono">Authorization: Bearer …</code>, or set <code className="font-mono">SETPOINT_TOKEN</code> for
        the command line.
      </p>
    </div>
  );
}
