"use client";

import { Inbox, type LucideIcon, SearchX, ShieldX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { CopyButton } from "@/components/ui/copy-button";
import { type ApiError, asApiError } from "@/lib/client";

interface StateProps {
  icon: LucideIcon;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
  role?: "alert";
}

function CentredState({ icon: Icon, title, children, actions, className, role }: StateProps) {
  return (
    <div role={role} className={cn("flex flex-col items-center px-4 py-14 text-center", className)}>
      <span className="mb-3 inline-flex size-10 items-center justify-center rounded-full border border-line bg-surface text-muted">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="font-semibold text-fg text-sm">{title}</h2>
      {children ? <div className="mt-1 max-w-prose break-words text-muted">{children}</div> : null}
      {actions ? <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div> : null}
    </div>
  );
}

export interface EmptyStateProps {
  title: ReactNode;
  /** Why there is nothing, and what this place is for. */
  children?: ReactNode;
  /** The first thing to do. */
  actions?: ReactNode;
  icon?: LucideIcon;
  className?: string;
}

/** Nothing exists yet. */
export function EmptyState({ icon = Inbox, ...rest }: EmptyStateProps) {
  return <CentredState icon={icon} {...rest} />;
}

export interface FilteredEmptyStateProps {
  /** The filters in words: "state Failed", "name contains web". */
  filters: readonly string[];
  onClear: () => void;
  noun?: string;
}

/** Things exist, but the filters leave none of them. */
export function FilteredEmptyState({ filters, onClear, noun = "resources" }: FilteredEmptyStateProps) {
  return (
    <CentredState icon={SearchX} title={`No ${noun} match`} actions={<Button onClick={onClear}>Clear filters</Button>}>
      {filters.length > 0 ? `Filtered by ${filters.join(", ")}.` : "The filters leave nothing."}
    </CentredState>
  );
}

export interface ErrorStateProps {
  error: unknown;
  onRetry?: () => void;
  /** What could not be done: "The plan could not be loaded". */
  title?: string;
  className?: string;
}

/** Something could not be loaded: what, why, what to do, and the request id to report. */
export function ErrorState({ error: thrown, onRetry, title, className }: ErrorStateProps) {
  const error = asApiError(thrown);
  if (error.status === 403) return <ForbiddenState error={error} className={className} />;
  return (
    <CentredState
      icon={error.status === 404 ? SearchX : ShieldX}
      role="alert"
      className={className}
      title={title ?? (error.status === 404 ? "Not found" : "This could not be loaded")}
      actions={
        <>
          {onRetry ? <Button onClick={onRetry}>Try again</Button> : null}
          <CopyButton text={errorDetails(error)} label="Copy details" showLabel />
        </>
      }
    >
      <p className="text-fg">{error.message}</p>
      {error.advice ? <p>{error.advice}</p> : null}
      <p className="mt-1 font-mono text-xs">
        {error.reason}
        {error.status > 0 ? ` · ${error.status}` : ""}
        {error.requestId ? ` · request ${error.requestId}` : ""}
      </p>
    </CentredState>
  );
}

/** The person may not see it: names what is missing. */
export function ForbiddenState({ error, className }: { error: ApiError; className?: string }) {
  return (
    <CentredState icon={ShieldX} title="Your role does not allow this" className={className}>
      <p>{error.message}</p>
      <p>Ask an administrator for the role that allows it.</p>
    </CentredState>
  );
}

/** An error as text to paste into a report. */
export function errorDetails(error: ApiError): string {
  return [
    `${error.reason}${error.status > 0 ? ` (${error.status})` : ""}: ${error.message}`,
    ...error.causes.map((cause) => `- ${cause.field}: ${cause.message}`),
    ...(error.requestId ? [`request id: ${error.requestId}`] : []),
  ].join("\n");
}
