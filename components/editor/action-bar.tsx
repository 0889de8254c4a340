"use client";

import { Button } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import type { Session } from "./use-session";

/** Always in reach, also with one thumb: what is wrong, what it would do, and saving. */
export function ActionBar({ session, creating }: { session: Session; creating: boolean }) {
  const { editor, tour, previewPanel, openSave } = session;
  const count = editor.problems.length;
  const idle = creating || editor.dirty ? "Ready to preview" : "No changes";
  return (
    <div className="sticky bottom-0 z-20 -mx-4 -mb-5 border-line border-t bg-canvas/95 px-4 py-2.5 backdrop-blur sm:-mx-6 sm:-mb-6 sm:px-6">
      <div className="flex flex-wrap items-center justify-end gap-2">
        <div className="mr-auto min-w-0">
          {count > 0 ? (
            <Button variant="ghost" onClick={tour.next}>
              {count} to put right <Kbd className="max-sm:hidden">F8</Kbd>
            </Button>
          ) : (
            <span className="px-1 text-muted text-xs">{previewPanel.current ? "Previewed" : idle}</span>
          )}
        </div>
        <Button onClick={previewPanel.onPreview} busy={previewPanel.pending}>
          Preview
        </Button>
        <Button variant="primary" onClick={openSave}>
          {creating ? "Create…" : "Save…"}
        </Button>
      </div>
    </div>
  );
}
