import type { ComponentProps } from "react";
import { cn } from "./class-names";

const control =
  "w-full min-w-0 rounded-md border border-control/70 bg-surface text-fg placeholder:text-faint focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted aria-invalid:border-bad";

export function Input({ className, type = "text", ...rest }: ComponentProps<"input">) {
  return <input type={type} className={cn(control, "h-8 px-2.5", className)} {...rest} />;
}

export function Textarea({ className, rows = 3, ...rest }: ComponentProps<"textarea">) {
  return <textarea rows={rows} className={cn(control, "px-2.5 py-1.5", className)} {...rest} />;
}

/** The platform's own select: right on phones, with keyboards and in forms without a line of script. */
export function Select({ className, children, ...rest }: ComponentProps<"select">) {
  return (
    <span className={cn("relative inline-flex min-w-0 w-full", className)}>
      <select className={cn(control, "h-8 appearance-none pr-8 pl-2.5")} {...rest}>
        {children}
      </select>
      <svg
        aria-hidden
        viewBox="0 0 16 16"
        className="pointer-events-none absolute top-2 right-2.5 size-4 text-muted"
        fill="none"
        stroke="currentColor"
      >
        <path d="m4.5 6.5 3.5 3.5 3.5-3.5" strokeWidth="1.5" />
      </svg>
    </span>
  );
}
