"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { createContext, type ReactNode, useContext } from "react";

const NonceContext = createContext<string | undefined>(undefined);

/** Hands the page's nonce to everything that adds a style or script element of its own. */
export function NonceProvider({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <NonceContext value={nonce}>
      <CSPProvider nonce={nonce} disableStyleElements>
        {children}
      </CSPProvider>
    </NonceContext>
  );
}

/** The nonce that the content security policy of this page accepts, e.g. for `EditorView.cspNonce`. */
export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
