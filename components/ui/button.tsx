import { cva, type VariantProps } from "class-variance-authority";
import Link from "next/link";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./class-names";

export const buttonStyle = cva(
  "inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-100 disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "border-transparent bg-solid text-on-solid hover:not-disabled:bg-solid-hover",
        secondary: "border-line-strong bg-surface text-fg hover:not-disabled:bg-hover",
        ghost: "border-transparent bg-transparent text-muted hover:not-disabled:bg-hover hover:not-disabled:text-fg",
        danger: "border-bad/45 bg-surface text-bad hover:not-disabled:bg-bad-soft",
        link: "h-auto border-transparent p-0 text-accent underline-offset-4 hover:underline",
      },
      size: {
        sm: "h-7 px-2.5 text-xs",
        md: "h-8 px-3 text-[0.8125rem]",
        lg: "h-10 px-4 text-sm",
      },
    },
    defaultVariants: { variant: "secondary", size: "md" },
  },
);

export interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof buttonStyle> {
  /** Shows that the click is being worked on and takes no second one. */
  busy?: boolean;
}

export function Button({ className, variant, size, busy, disabled, children, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={cn(buttonStyle({ variant, size }), className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}

export type LinkButtonProps = ComponentProps<typeof Link> & VariantProps<typeof buttonStyle>;

/** A link that looks like a button: navigation stays navigation. */
export function LinkButton({ className, variant, size, ...rest }: LinkButtonProps) {
  return <Link className={cn(buttonStyle({ variant, size }), className)} {...rest} />;
}

export interface IconButtonProps extends Omit<ButtonProps, "children"> {
  /** The accessible name; also the tooltip of the browser. */
  label: string;
  children: ReactNode;
}

export function IconButton({ label, className, size = "md", variant = "ghost", ...rest }: IconButtonProps) {
  const square = size === "sm" ? "w-7 px-0" : size === "lg" ? "w-10 px-0" : "w-8 px-0";
  return <Button aria-label={label} title={label} size={size} variant={variant} className={cn(square, className)} {...rest} />;
}

function Spinner() {
  return (
    <span
      aria-hidden
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent motion-reduce:animate-none motion-reduce:border-dotted"
    />
  );
}
