import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

export const badgeStyle = cva(
  "inline-flex max-w-full items-center gap-1 whitespace-nowrap rounded-md px-1.5 font-medium text-xs leading-5 [&_svg]:size-3.5 [&_svg]:shrink-0",
  {
    variants: {
      tone: {
        neutral: "bg-sunken text-muted ring-1 ring-line ring-inset",
        ok: "bg-ok-soft text-ok",
        info: "bg-info-soft text-info",
        drift: "bg-drift-soft text-drift",
        warn: "bg-warn-soft text-warn",
        bad: "bg-bad-soft text-bad",
        calm: "bg-calm-soft text-calm",
        accent: "bg-accent-soft text-accent",
      },
    },
    defaultVariants: { tone: "neutral" },
  },
);

export type Tone = NonNullable<VariantProps<typeof badgeStyle>["tone"]>;

export function Badge({ tone, className, ...rest }: ComponentProps<"span"> & { tone?: Tone }) {
  return <span className={cn(badgeStyle({ tone }), className)} {...rest} />;
}
