"use client";

import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { DraftBanner, type useDraft } from "./draft";
import type { Editor } from "./state";

interface BannersProps {
  editor: Editor;
  draft: ReturnType<typeof useDraft>;
  refusal: string | undefined;
  hasSecrets: boolean;
  onMerge: () => void;
}

/** What a person must know before going on: not theirs to edit, work left here, somebody else was faster. */
export function Banners({ editor, draft, refusal, hasSecrets, onMerge }: BannersProps) {
  const { behind, dispatch } = editor;
  const { offer } = draft;
  return (
    <>
      {refusal ? (
        <Callout tone="calm" className="mb-4" title="For reading only">
          {refusal} to change it.
        </Callout>
      ) : null}
      {offer && !refusal ? (
        <DraftBanner
          draft={offer}
          hasSecrets={hasSecrets}
          onDiscard={() => {
            draft.forget();
            draft.answer();
          }}
          onRestore={() => {
            dispatch({ type: "restored", text: offer.text, ...(offer.base ? { base: offer.base } : {}) });
            draft.answer();
          }}
        />
      ) : null}
      {behind && !refusal ? (
        <Callout
          tone="warn"
          className="mb-4"
          title={`Generation ${behind.generation} was saved while you edit`}
          actions={
            <Button size="sm" onClick={onMerge}>
              Compare and merge
            </Button>
          }
        >
          Your work stays as it is; merge before saving.
        </Callout>
      ) : null}
    </>
  );
}
