"use client";

import { useEffect, useState } from "react";
import { systemClock, toIso } from "@/lib/clock";
import type { Json } from "@/lib/resource";
import { parseText } from "../document";
import { type Base, useSettled } from "../state";
import { type Draft, draftText, loadDraft, storeDraft } from "./draft";

const KEEP_MS = 500;

interface DraftInput {
  key: string;
  text: string;
  startText: string;
  base: Base | undefined;
  secretFields: readonly string[];
  enabled: boolean;
}

/** Keeps unsaved work in this browser, and offers what was left here last time. Nothing is kept until that offer is answered. */
export function useDraft({ key, text, startText, base, secretFields, enabled }: DraftInput) {
  const [found, setFound] = useState<Draft>();
  const [ready, setReady] = useState(false);
  useEffect(() => {
    setFound(loadDraft(window.localStorage, key));
    setReady(true);
  }, [key]);
  // What equals the stored intent is no work.
  const offer = found && found.text !== startText ? found : undefined;
  const settled = useSettled(text, KEEP_MS);
  useEffect(() => {
    if (!ready || offer || !enabled) return;
    const kept = settled === startText ? undefined : draftText(parseText(settled), secretFields, base?.intent);
    const draft = kept === undefined ? undefined : { text: kept, savedAt: toIso(systemClock.now()), ...baseFacts(base) };
    storeDraft(window.localStorage, key, draft);
  }, [ready, offer, enabled, settled, startText, secretFields, base, key]);
  return {
    offer,
    answer: () => setFound(undefined),
    forget: () => void storeDraft(window.localStorage, key, undefined),
  };
}

function baseFacts(base: Base | undefined): { base?: { intent: Json; resourceVersion: string; generation: number } } {
  if (!base) return {};
  const { intent, resourceVersion, generation } = base;
  return { base: { intent, resourceVersion, generation } };
}
