"use client";

import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { RelativeTime } from "@/components/layout/time";
import { Button, IconButton } from "@/components/ui/button";
import { Menu, MenuItem } from "@/components/ui/menu";
import { useToast } from "@/components/ui/toast";
import type { ServiceAccountEntry } from "@/lib/api/contract";
import { asApiError, useDeleteServiceAccount } from "@/lib/client";
import { ConfirmDialog } from "./confirm-dialog";
import { CreateTokenDialog } from "./create-token-dialog";
import { TokenLine } from "./token-line";

/** One service account with its tokens. */
export function ServiceAccountLine({ account }: { account: ServiceAccountEntry }) {
  const [dialog, setDialog] = useState<"token" | "delete" | undefined>();
  const write = useDeleteServiceAccount();
  const toast = useToast();
  const shown = `${account.namespace}/${account.name}`;
  const close = () => {
    write.reset();
    setDialog(undefined);
  };
  const onSuccess = () => {
    toast("ok", { title: `Deleted ${shown}` });
    close();
  };
  return (
    <li data-service-account={shown}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
        <div className="min-w-0 flex-1 basis-52">
          <p className="break-words font-medium">{shown}</p>
          <p className="break-words text-muted text-xs">
            {account.principal}, since <RelativeTime at={account.createdAt} />
          </p>
        </div>
        <Button size="sm" onClick={() => setDialog("token")} aria-label={`New token for ${shown}`}>
          New token
        </Button>
        <Menu
          trigger={
            <IconButton label={`More for ${shown}`}>
              <Ellipsis aria-hidden />
            </IconButton>
          }
        >
          <MenuItem danger onClick={() => setDialog("delete")}>
            Delete…
          </MenuItem>
        </Menu>
      </div>
      {account.tokens.length === 0 ? (
        <p className="px-4 pb-2.5 text-muted text-xs">No tokens: nothing can use it yet.</p>
      ) : (
        <ul aria-label={`Tokens of ${shown}`} className="mx-4 mb-2.5 divide-y divide-line rounded-md border border-line">
          {account.tokens.map((token) => (
            <TokenLine key={token.id} token={token} />
          ))}
        </ul>
      )}
      <CreateTokenDialog open={dialog === "token"} onOpenChange={(open) => (open ? undefined : close())} serviceAccount={account} />
      <ConfirmDialog
        open={dialog === "delete"}
        onOpenChange={(open) => (open ? undefined : close())}
        title={`Delete ${shown}?`}
        confirmLabel="Delete"
        busy={write.isPending}
        error={write.error ? asApiError(write.error) : undefined}
        onConfirm={() => write.mutate(account, { onSuccess })}
      >
        Its tokens and what is bound to it end with it.
      </ConfirmDialog>
    </li>
  );
}
