import type { ComponentProps, ReactNode } from "react";
import { cn } from "./class-names";

export function Card({ className, ...rest }: ComponentProps<"section">) {
  return <section className={cn("min-w-0 rounded-lg border border-line bg-surface", className)} {...rest} />;
}

export interface CardHeaderProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  className?: string;
  /** Id of the heading, for `aria-labelledby` of the card. */
  id?: string;
}

export function CardHeader({ title, description, actions, className, id }: CardHeaderProps) {
  return (
    <header className={cn("flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-3 pb-2", className)}>
      <div className="min-w-0 flex-1">
        <h2 id={id} className="font-semibold text-fg text-sm">
          {title}
        </h2>
        {description ? <p className="text-muted text-xs">{description}</p> : null}
      </div>
      {actions}
    </header>
  );
}

export function CardBody({ className, ...rest }: ComponentProps<"div">) {
  return <div className={cn("px-4 pb-4", className)} {...rest} />;
}
