"use client";

import { Button } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";

interface ActionBarProps {
  problems: number;
  dirty: boolean;
  creating: boolean;
  previewing: boolean;
  onPreview: () => void;
  onSave: () => void;
  onNextProblem: () => void;
}

/** Always in reach, also with one thumb: what is wrong, what it would do, and saving. */
export function ActionBar({ problems, dirty, creating, previewing, onPreview, onSave, onNextProblem }: ActionBarProps) {
  return (
    <div className="sticky bottom-0 z-20 -mx-4 border-line border-t bg-canvas/95 px-4 py-2.5 backdrop-blur sm:-mx-6 sm:px-6">
      <div className="flex flex-wrap items-center justify-end gap-2">
        <div className="mr-auto min-w-0">
          {problems > 0 ? (
            <Button variant="ghost" onClick={onNextProblem}>
              {problems} to put right <Kbd className="max-sm:hidden">F8</Kbd>
            </Button>
          ) : (
            <span className="px-1 text-muted text-xs">{creating || dirty ? "Ready to preview" : "No changes"}</span>
          )}
        </div>
        <Button onClick={onPreview} busy={previewing}>
          Preview
        </Button>
        <Button variant="primary" onClick={onSave}>
          {creating ? "Create…" : "Save…"}
        </Button>
      </div>
    </div>
  );
}
