"use client";

import { Card, CardBody, CardHeader } from "@/components/ui/card";
import { Defaults } from "./defaults";
import { PreviewPanel } from "./preview";
import { ProblemList } from "./problems/problem-list";
import { PREVIEW_ID, type Session } from "./use-session";

/** Beside the document: what is wrong, what it would do, what holds without being written. */
export function SidePanel({ session, readOnly }: { session: Session; readOnly: boolean }) {
  const { editor, tour, previewPanel } = session;
  const { problems, check, schema, value } = editor;
  return (
    <aside
      className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-18 lg:max-h-[calc(100dvh-9rem)] lg:self-start lg:overflow-y-auto"
      aria-label="Problems and preview"
    >
      {readOnly ? null : (
        <>
          <Card>
            <CardHeader title={problems.length > 0 ? `To put right (${problems.length})` : "Problems"} />
            <CardBody>
              <ProblemList problems={problems} confirmed={check.confirmed} onGo={tour.go} />
            </CardBody>
          </Card>
          <Card id={PREVIEW_ID} className="max-lg:scroll-mb-20">
            <CardHeader title="Preview" />
            <CardBody>
              <PreviewPanel {...previewPanel} />
            </CardBody>
          </Card>
        </>
      )}
      <Defaults schema={schema} value={value} />
    </aside>
  );
}
