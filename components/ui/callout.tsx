import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./class-names";

const TONE = {
  info: { box: "border-info/30 bg-info-soft text-info", icon: Info },
  warn: { box: "border-warn/30 bg-warn-soft text-warn", icon: TriangleAlert },
  bad: { box: "border-bad/30 bg-bad-soft text-bad", icon: CircleAlert },
  calm: { box: "border-line bg-sunken text-calm", icon: Info },
} as const;

export interface CalloutProps extends Omit<ComponentProps<"div">, "title"> {
  tone?: keyof typeof TONE;
  title?: ReactNode;
  actions?: ReactNode;
}

/** A message that belongs to the place it stands in. Give it `role="alert"` only for the outcome of an action. */
export function Callout({ tone = "info", title, actions, className, children, ...rest }: CalloutProps) {
  const { box, icon: Icon } = TONE[tone];
  return (
    <div className={cn("flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border px-3 py-2.5", box, className)} {...rest}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-48 break-words">
        {title ? <p className="font-semibold">{title}</p> : null}
        {children ? <div className="text-fg">{children}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  );
}
