"use client";

import { Ellipsis, Pause, PencilLine, Play, RefreshCw, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useRefusal } from "@/components/layout/me";
import { useShortcut } from "@/components/layout/shortcuts";
import { Button, IconButton, LinkButton } from "@/components/ui/button";
import { Menu, MenuItem } from "@/components/ui/menu";
import { useToast } from "@/components/ui/toast";
import type { ApiObject } from "@/lib/api/contract";
import { asApiError, type ObjectRef, resourceHref, useControl, useReconcile, useServerNow } from "@/lib/client";
import { pauseInForce } from "@/lib/resource";
import { DeleteDialog } from "./delete-dialog";
import { PauseDialog } from "./pause-dialog";
import { ReconcileHeldDialog } from "./reconcile-held-dialog";

type Open = "pause" | "held" | "delete" | undefined;

/** What may be done with one object. What this person may not do is disabled and says why. */
export function DetailActions({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const router = useRouter();
  const toast = useToast();
  const [open, setOpen] = useState<Open>();
  const refusedControl = useRefusal("control");
  const refusedEdit = useRefusal("edit");
  const now = useServerNow(10_000);
  const control = useControl(of);
  const reconcile = useReconcile(of);
  const paused = pauseInForce(object.control, now);
  // A pause of the whole kind holds it as well, and is lifted elsewhere.
  const held = paused || object.view.state === "Paused" || object.view.reason === "Paused";
  const deleting = object.metadata.deletionTimestamp !== undefined;
  const { name } = object.metadata;
  const editHref = `${resourceHref(of)}/edit`;

  const resume = () =>
    control.mutate(
      { paused: null },
      {
        onSuccess: () => toast("ok", { title: `Resumed ${name}`, description: "The loop looks at it at once." }),
        onError: (error) => toast("bad", { title: `${name} was not resumed`, description: asApiError(error).message }),
      },
    );
  const reconcileNow = () => {
    if (held) return setOpen("held");
    reconcile.mutate(undefined, {
      onSuccess: (answer) => toast("info", { title: `Asked for a look at ${name}`, description: answer.message }),
      onError: (error) => toast("bad", { title: `${name} was not reconciled`, description: asApiError(error).message }),
    });
  };
  const pauseOrResume = () => (refusedControl ? undefined : paused ? resume() : setOpen("pause"));
  useShortcut({ keys: "p", label: "Pause or resume", run: pauseOrResume });
  useShortcut({ keys: "r", label: "Reconcile now", run: () => (refusedControl ? undefined : reconcileNow()) });
  useShortcut({ keys: "e", label: "Edit", run: () => (refusedEdit || deleting ? undefined : router.push(editHref)) });

  return (
    <>
      <Button busy={reconcile.isPending} disabled={refusedControl !== undefined} title={refusedControl} onClick={reconcileNow}>
        <RefreshCw aria-hidden />
        Reconcile now
      </Button>
      <Button busy={control.isPending} disabled={refusedControl !== undefined} title={refusedControl} onClick={pauseOrResume}>
        {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
        {paused ? "Resume" : "Pause…"}
      </Button>
      {refusedEdit || deleting ? (
        <Button variant="primary" disabled title={refusedEdit ?? "It is being deleted"}>
          <PencilLine aria-hidden />
          Edit
        </Button>
      ) : (
        <LinkButton href={editHref} variant="primary">
          <PencilLine aria-hidden />
          Edit
        </LinkButton>
      )}
      <Menu
        trigger={
          <IconButton label="More actions" variant="secondary">
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem
          danger
          unavailable={refusedEdit ?? (deleting ? "It is being deleted already" : undefined)}
          onClick={() => setOpen("delete")}
        >
          <Trash2 aria-hidden />
          Delete…
        </MenuItem>
      </Menu>
      {open === "pause" ? <PauseDialog of={of} object={object} onClose={() => setOpen(undefined)} /> : null}
      {open === "held" ? <ReconcileHeldDialog of={of} object={object} paused={paused} onClose={() => setOpen(undefined)} /> : null}
      {open === "delete" ? <DeleteDialog of={of} object={object} onClose={() => setOpen(undefined)} /> : null}
    </>
  );
}
