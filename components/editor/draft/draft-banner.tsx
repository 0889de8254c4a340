"use client";

import { RelativeTime } from "@/components/layout/time";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import type { Draft } from "./draft";

/** Unsaved work was left in this browser: take it up again, or let it go. */
export function DraftBanner({
  draft,
  hasSecrets,
  onRestore,
  onDiscard,
}: {
  draft: Draft;
  hasSecrets: boolean;
  onRestore: () => void;
  onDiscard: () => void;
}) {
  return (
    <Callout
      tone="info"
      className="mb-4"
      title="Unsaved changes were left here"
      actions={
        <>
          <Button size="sm" onClick={onDiscard}>
            Discard
          </Button>
          <Button size="sm" variant="primary" onClick={onRestore}>
            Restore
          </Button>
        </>
      }
    >
      Kept in this browser <RelativeTime at={draft.savedAt} />.{hasSecrets ? " Secret values are never kept: enter them again." : ""}
    </Callout>
  );
}
