"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { asApiError } from "@/lib/client";
import { ErrorState } from "./states";

export interface AnswerProps<Data> {
  query: Pick<UseQueryResult<Data>, "data" | "error" | "refetch">;
  /** What stands there while nothing has come, with the final dimensions. */
  skeleton: ReactNode;
  /** What could not be loaded: "The controllers could not be loaded". */
  errorTitle?: string;
  children: (data: Data) => ReactNode;
}

/** One answer of the server in all its states: loading, failed, failed after it had come once, there. */
export function Answer<Data>({ query, skeleton, errorTitle, children }: AnswerProps<Data>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (!error) return skeleton;
    return <ErrorState error={error} title={errorTitle} onRetry={() => void refetch()} />;
  }
  return (
    <>
      {error ? (
        <Callout
          tone="warn"
          className="mb-4"
          title="This may be outdated"
          actions={
            <Button size="sm" onClick={() => void refetch()}>
              Try again
            </Button>
          }
        >
          {asApiError(error).message}
        </Callout>
      ) : null}
      {children(data)}
    </>
  );
}
