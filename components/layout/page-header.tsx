import type { ReactNode } from "react";
import { cn } from "@/components/ui/class-names";

export interface PageHeaderProps {
  title: ReactNode;
  description?: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
  className?: string;
}

/** The heading of a page: exactly one on each. */
export function PageHeader({ title, description, actions, className }: PageHeaderProps) {
  return (
    <div className={cn("mb-5 flex flex-wrap items-start gap-x-4 gap-y-3", className)}>
      <div className="min-w-0 flex-1 basis-60">
        <h1 className="break-words font-semibold text-fg text-xl leading-7 tracking-tight">{title}</h1>
        {description ? <div className="mt-0.5 text-muted">{description}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  );
}

/** The frame of a page's content. */
export function PageBody({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={cn("mx-auto w-full max-w-[88rem] px-4 py-5 sm:px-6 sm:py-6", className)}>{children}</div>;
}
