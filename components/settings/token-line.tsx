"use client";

import { useState } from "react";
import { RelativeTime } from "@/components/layout/time";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { useToast } from "@/components/ui/toast";
import type { TokenEntry } from "@/lib/api/contract";
import { asApiError, useRevokeToken } from "@/lib/client";
import { ConfirmDialog } from "./confirm-dialog";
import { limitsText } from "./token-limits";
import { scopeText } from "./token-scope";

/** One token: what it is for, when it ends, when it was last used. */
export function TokenLine({ token }: { token: TokenEntry }) {
  const [asking, setAsking] = useState(false);
  const write = useRevokeToken();
  const toast = useToast();
  const close = (next: boolean) => {
    if (!next) write.reset();
    setAsking(next);
  };
  const onSuccess = () => {
    toast("ok", { title: `Revoked ${token.name}` });
    close(false);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5" data-token-name={token.name}>
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{token.name}</span>
          <code className="font-mono font-normal text-muted text-xs">{token.prefix}…</code>
          {token.expired ? <Badge tone="calm">Expired</Badge> : null}
        </p>
        <p className="break-words text-muted text-xs">{[scopeText(token.scope), limitsText(token.limits)].filter(Boolean).join("; ")}</p>
        <p className="text-muted text-xs">
          {token.expired ? "ended " : "ends "}
          <RelativeTime at={token.expiresAt} />, last used <RelativeTime at={token.lastUsedAt} />
        </p>
      </div>
      <Button size="sm" onClick={() => setAsking(true)} aria-label={`Revoke ${token.name}, ${token.prefix}`}>
        Revoke
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={close}
        title={`Revoke ${token.name}?`}
        confirmLabel="Revoke"
        busy={write.isPending}
        error={write.error ? asApiError(write.error) : undefined}
        onConfirm={() => write.mutate({ id: token.id }, { onSuccess })}
      >
        What uses it is refused from then on. It cannot be brought back.
      </ConfirmDialog>
    </li>
  );
}
