"use client";

import { useSyncExternalStore } from "react";
import type { Zone } from "@/components/ui/time-format";

/** What a person chose for this browser. Kept in its own storage, shared by all its tabs. */
export interface Preferences {
  theme: "system" | "light" | "dark";
  zone: Zone;
  /** Single-key shortcuts disturb speech input and some screen readers, so they can be switched off (WCAG 2.1.4). */
  shortcuts: "on" | "off";
}

const CHOICES: { [Name in keyof Preferences]: readonly Preferences[Name][] } = {
  theme: ["system", "light", "dark"],
  zone: ["utc", "local"],
  shortcuts: ["on", "off"],
};
const DEFAULTS: Preferences = { theme: "system", zone: "utc", shortcuts: "on" };

const storageKey = (name: keyof Preferences) => `setpoint.${name}`;
const listeners = new Set<() => void>();

function read<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  const stored = readStorage(storageKey(name));
  return CHOICES[name].find((choice) => choice === stored) ?? DEFAULTS[name];
}

function readStorage(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be forbidden in this browser: the defaults hold then.
    return null;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** One preference and how to change it. The server draws with the defaults. */
export function usePreference<Name extends keyof Preferences>(name: Name): [Preferences[Name], (value: Preferences[Name]) => void] {
  const value = useSyncExternalStore(
    subscribe,
    () => read(name),
    () => DEFAULTS[name],
  );
  return [value, (next) => write(name, next)];
}

function write<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  try {
    localStorage.setItem(storageKey(name), value);
  } catch {
    // Storage may be forbidden or full: the choice then lasts only as long as the theme class below.
  }
  if (name === "theme") applyTheme(value);
  for (const listener of listeners) listener();
}

/** Puts the theme on <html>; `themeScript` does the same before the first paint. */
export function applyTheme(theme: string): void {
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
}
