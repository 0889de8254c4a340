"use client";

import { useId } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import type { ResourcePage } from "@/lib/api/contract";
import { isConflict, useBulk } from "@/lib/client";
import { ActionFailed } from "../action-failed";
import { PauseForm, type PauseWish } from "../pause-form";
import { BulkOutcome } from "./bulk-outcome";
import { BulkTargets } from "./bulk-targets";
import { type Filter, matchQuery } from "./filter";
import type { BulkAction } from "./resource-list";
import { countSelected, type Selection } from "./selection";

const WORDS: Record<BulkAction, { verb: string; effect: string }> = {
  pause: { verb: "Pause", effect: "They are still looked at, and never acted on." },
  resume: { verb: "Resume", effect: "The loop acts on them again at once. Those that are not paused stay as they are." },
  reconcile: { verb: "Reconcile", effect: "Each is looked at now. Those that are paused are refused." },
};

interface BulkDialogProps {
  action: BulkAction;
  selection: Selection;
  filter: Filter;
  page: ResourcePage | undefined;
  onRefetch: () => void;
  onClose: (done: boolean) => void;
}

/** One action on many: what it is sent for, how many, which; then what became of each. */
export function BulkDialog({ action, selection, filter, page, onRefetch, onClose }: BulkDialogProps) {
  const form = useId();
  const bulk = useBulk();
  const total = page?.total ?? 0;
  const count = countSelected(selection, total);
  const { verb, effect } = WORDS[action];
  const close = () => (bulk.isPending ? undefined : onClose(bulk.data !== undefined));
  const send = (wish?: PauseWish) =>
    bulk.mutate(
      {
        action,
        ...(selection.all ? { query: matchQuery(filter), expectedCount: total } : { uids: [...selection.picked.keys()] }),
        ...wish,
      },
      // The count that was shown is no longer true: show the new one before anybody sends it again.
      { onError: (error) => (isConflict(error) ? onRefetch() : undefined) },
    );
  if (bulk.data) {
    return (
      <Dialog
        open
        onOpenChange={(open) => (open ? undefined : close())}
        title={`${verb}: what became of each`}
        footer={
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <BulkOutcome answer={bulk.data} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : close())}
      title={`${verb} ${count.toLocaleString("en")} ${count === 1 ? "resource" : "resources"}`}
      description={effect}
      footer={
        <>
          <Button onClick={close} disabled={bulk.isPending}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={bulk.isPending}
            disabled={count === 0}
            {...(action === "pause" ? { type: "submit", form } : { onClick: () => send() })}
          >
            {verb} {count.toLocaleString("en")}
          </Button>
        </>
      }
    >
      <BulkTargets selection={selection} filter={filter} page={page} />
      {action === "pause" ? <PauseForm id={form} onPause={send} /> : null}
      <ActionFailed error={bulk.error} />
    </Dialog>
  );
}
