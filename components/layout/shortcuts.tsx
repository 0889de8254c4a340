"use client";

import { useRouter } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { Dialog } from "@/components/ui/dialog";
import { Kbd } from "@/components/ui/kbd";
import { systemClock } from "@/lib/clock";
import { matchKeys, SEQUENCE_MS, type Shortcut } from "./keys";
import { usePreference } from "./preferences";

type Registry = Set<{ current: Shortcut }>;
const RegistryContext = createContext<Registry | undefined>(undefined);

/** Adds a shortcut while the component is there: `useShortcut({keys: "/", label: "Search", run})`. */
export function useShortcut(shortcut: Shortcut): void {
  const registry = useContext(RegistryContext);
  const latest = useRef(shortcut);
  useEffect(() => {
    latest.current = shortcut;
  });
  useEffect(() => {
    if (!registry) return undefined;
    registry.add(latest);
    return () => {
      registry.delete(latest);
    };
  }, [registry]);
}

/** Listens for keys, unless somebody types, a dialog is open, or single keys are switched off in Settings. */
export function ShortcutsProvider({ children }: { children: ReactNode }) {
  const [registry] = useState<Registry>(() => new Set());
  const [enabled] = usePreference("shortcuts");
  const [listed, setListed] = useState<Shortcut[]>();
  const pressed = useRef<{ keys: string[]; at: number }>({ keys: [], at: 0 });

  useEffect(() => {
    if (enabled === "off") return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
      const now = systemClock.monotonic();
      const before = now - pressed.current.at < SEQUENCE_MS ? pressed.current.keys : [];
      const match = matchKeys(
        before,
        event.key,
        [...registry].map((entry) => entry.current),
      );
      pressed.current = { keys: match.kind === "wait" ? match.pressed : [], at: now };
      if (match.kind !== "run") return;
      event.preventDefault();
      match.shortcut.run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [enabled, registry]);

  return (
    <RegistryContext value={registry}>
      <GlobalShortcuts onList={() => setListed([...registry].map((entry) => entry.current))} />
      {children}
      <Dialog open={listed !== undefined} onOpenChange={() => setListed(undefined)} title="Keyboard shortcuts" size="sm">
        <dl className="divide-y divide-line">
          {(listed ?? []).map((shortcut) => (
            <div key={`${shortcut.keys} ${shortcut.label}`} className="flex items-center justify-between gap-4 py-1.5">
              <dt>{shortcut.label}</dt>
              <dd className="flex gap-1">
                {shortcut.keys.split(" ").map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
        <p className="mt-3 text-muted text-xs">Single keys can be switched off in Settings.</p>
      </Dialog>
    </RegistryContext>
  );
}

function GlobalShortcuts({ onList }: { onList: () => void }) {
  const router = useRouter();
  useShortcut({ keys: "?", label: "List the shortcuts", run: onList });
  useShortcut({ keys: "g o", label: "Go to Overview", run: () => router.push("/") });
  useShortcut({ keys: "g r", label: "Go to Resources", run: () => router.push("/resources") });
  useShortcut({ keys: "g c", label: "Go to Controllers", run: () => router.push("/controllers") });
  useShortcut({ keys: "g s", label: "Go to Settings", run: () => router.push("/settings") });
  return null;
}

function isBusy(target: EventTarget | null): boolean {
  if (target instanceof HTMLElement && target.closest("input:not([type=checkbox]), textarea, select, [contenteditable=true]")) return true;
  // A toast is a dialog to screen readers, but it takes nobody's keys.
  return document.querySelector(':is([role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]):not([data-toast])') !== null;
}
