import type { ReactNode } from "react";
import { BrandMark } from "@/components/layout/nav";

/** The frame of the pages before sign-in. */
export function EntryFrame({ title, description, children }: { title: string; description?: string; children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-sm">
        <BrandMark className="mb-5 size-8" />
        <h1 className="font-semibold text-fg text-xl tracking-tight">{title}</h1>
        <p className="mt-1 text-muted">{description ?? "Declare what should be, watch reality converge."}</p>
        <div className="mt-6 rounded-xl border border-line bg-surface p-5">{children}</div>
      </div>
    </main>
  );
}
