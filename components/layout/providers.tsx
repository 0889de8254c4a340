"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { ToastProvider } from "@/components/ui/toast";
import { makeQueryClient } from "@/lib/client";
import { NonceProvider } from "./nonce";

/** What every page stands on: cache of answers, state in the URL, toasts, the nonce of the page. */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [client] = useState(() => makeQueryClient(toSignIn));
  return (
    <NonceProvider nonce={nonce}>
      <QueryClientProvider client={client}>
        <NuqsAdapter>
          <ToastProvider>{children}</ToastProvider>
        </NuqsAdapter>
      </QueryClientProvider>
    </NonceProvider>
  );
}

/** The session has ended: sign in again and come back to this very page. */
function toSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname === "/sign-in" || pathname === "/setup") return;
  window.location.assign(`/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`);
}
