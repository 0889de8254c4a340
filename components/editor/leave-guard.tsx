"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";

/** Asks before unsaved work is left, by closing the page or by a link inside it. */
export function LeaveGuard({ active, kept }: { active: boolean; kept: boolean }) {
  const router = useRouter();
  const [target, setTarget] = useState<string>();
  useEffect(() => {
    if (!active) return;
    const beforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const href = internalTarget(event);
      if (href === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(href);
    };
    window.addEventListener("beforeunload", beforeUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      window.removeEventListener("beforeunload", beforeUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [active]);
  return (
    <Dialog
      open={target !== undefined}
      onOpenChange={(open) => {
        if (!open) setTarget(undefined);
      }}
      title="Leave without saving?"
      description={
        kept
          ? "The changes stay in this browser and are offered again when you come back."
          : "What holds secrets, or cannot be read, is not kept in this browser."
      }
      size="sm"
      footer={
        <>
          <Button onClick={() => setTarget(undefined)}>Stay</Button>
          <Button
            variant="danger"
            onClick={() => {
              if (target) router.push(target);
            }}
          >
            Leave
          </Button>
        </>
      }
    />
  );
}

/** Where a plain click on a link of this site would go in this tab; undefined for everything else. */
function internalTarget(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || (link.target !== "" && link.target !== "_self") || link.hasAttribute("download"))
    return undefined;
  const url = new URL(link.href);
  if (url.origin !== window.location.origin || (url.pathname === window.location.pathname && url.hash !== "")) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}
