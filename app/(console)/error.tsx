"use client";

import { PageBody } from "@/components/layout/page-header";
import { ErrorState } from "@/components/layout/states";

export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <PageBody>
      <h1 className="sr-only">This page failed</h1>
      <ErrorState error={error} title="This page failed" onRetry={reset} />
    </PageBody>
  );
}
