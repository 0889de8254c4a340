import type { Metadata } from "next";
import { LinkButton } from "@/components/ui/button";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-xl flex-col items-center justify-center px-4 text-center">
      <p className="nums font-mono text-muted text-xs">404</p>
      <h1 className="mt-1 font-semibold text-xl">There is no such page</h1>
      <p className="mt-1 mb-5 text-muted">The address may be mistyped, or what it named was deleted.</p>
      <LinkButton href="/" variant="primary">
        Go to Overview
      </LinkButton>
    </main>
  );
}
