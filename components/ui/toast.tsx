"use client";

import { Toast as Base } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import type { ReactNode } from "react";
import { buttonStyle, IconButton } from "./button";
import { cn } from "./class-names";

export type ToastTone = "ok" | "bad" | "info";

export interface ToastMessage {
  title: string;
  description?: string;
  /** One thing to do about it, such as undo. */
  action?: { label: string; onClick: () => void };
}

const ICON: Record<ToastTone, ReactNode> = {
  ok: <CircleCheck aria-hidden className="size-4 text-ok" />,
  bad: <CircleAlert aria-hidden className="size-4 text-bad" />,
  info: <Info aria-hidden className="size-4 text-info" />,
};
const TIMEOUT_MS: Record<ToastTone, number> = { ok: 6000, info: 8000, bad: 0 };

function toneOf(type: string | undefined): ToastTone {
  return type === "ok" || type === "bad" ? type : "info";
}

/** Says what happened: `toast("ok", {title: "Paused web"})`. Errors stay until they are closed. */
export function useToast(): (tone: ToastTone, message: ToastMessage) => void {
  const manager = Base.useToastManager();
  return (tone, { title, description, action }) => {
    manager.add({
      title,
      description,
      type: tone,
      timeout: TIMEOUT_MS[tone],
      priority: tone === "bad" ? "high" : "low",
      ...(action ? { actionProps: { children: action.label, onClick: action.onClick } } : {}),
    });
  };
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider limit={4}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed right-3 bottom-3 z-60 flex w-[min(24rem,100vw-1.5rem)] flex-col gap-2 sm:right-5 sm:bottom-5">
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Toasts() {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      swipeDirection={["right", "down"]}
      data-toast
      className="rounded-lg border border-line bg-raised text-fg shadow-float transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0"
    >
      <Base.Content className="flex items-start gap-2.5 p-3">
        <span className="mt-0.5">{ICON[toneOf(toast.type)]}</span>
        <div className="min-w-0 flex-1 break-words">
          <Base.Title className="font-medium" />
          <Base.Description className="mt-0.5 text-muted text-xs" />
          <Base.Action className={cn(buttonStyle({ variant: "secondary", size: "sm" }), "mt-2")} />
        </div>
        <Base.Close
          render={
            <IconButton label="Dismiss" size="sm" className="-m-1">
              <X aria-hidden />
            </IconButton>
          }
        />
      </Base.Content>
    </Base.Root>
  ));
}
