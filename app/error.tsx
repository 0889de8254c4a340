"use client";

import { ErrorState } from "@/components/layout/states";

export default function RootError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-xl flex-col justify-center">
      <h1 className="sr-only">This page failed</h1>
      <ErrorState error={error} title="This page failed" onRetry={reset} />
    </main>
  );
}
