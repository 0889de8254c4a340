"use client";

import { Menu as Base } from "@base-ui/react/menu";
import Link from "next/link";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { cn } from "./class-names";

const POPUP =
  "min-w-44 max-w-[calc(100vw-1rem)] origin-(--transform-origin) rounded-lg border border-line bg-raised p-1 text-fg shadow-float outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0";
const ITEM =
  "flex min-h-8 cursor-default select-none items-center gap-2 rounded-md px-2 py-1 text-[0.8125rem] outline-none data-disabled:text-faint data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0";

export interface MenuProps {
  /** The button that opens it, e.g. `<IconButton label="Actions">`. */
  trigger: ReactElement;
  children: ReactNode;
  align?: "start" | "center" | "end";
  side?: "top" | "bottom" | "right" | "left";
}

export function Menu({ trigger, children, align = "end", side = "bottom" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} side={side} className="z-50 outline-none">
          <Base.Popup className={POPUP}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export interface MenuItemProps extends Omit<Base.Item.Props, "className"> {
  danger?: boolean;
  className?: string;
  /** Why it cannot be chosen now: the item is disabled and says so. */
  unavailable?: string;
}

export function MenuItem({ danger, unavailable, className, children, ...rest }: MenuItemProps) {
  return (
    <Base.Item className={cn(ITEM, danger && "text-bad", className)} disabled={unavailable !== undefined || rest.disabled} {...rest}>
      {unavailable === undefined ? (
        children
      ) : (
        <span className="flex flex-col">
          <span className="flex items-center gap-2">{children}</span>
          <span className="text-2xs text-muted">{unavailable}</span>
        </span>
      )}
    </Base.Item>
  );
}

export function MenuLink({ className, ...rest }: ComponentProps<typeof Link>) {
  return <Base.Item className={cn(ITEM, className)} render={<Link {...rest} />} nativeButton={false} />;
}

export function MenuRadioGroup({ ...rest }: Base.RadioGroup.Props) {
  return <Base.RadioGroup {...rest} />;
}

export function MenuRadioItem({ className, children, ...rest }: Omit<Base.RadioItem.Props, "className"> & { className?: string }) {
  return (
    <Base.RadioItem className={cn(ITEM, className)} {...rest}>
      <span className="inline-flex w-4 justify-center">
        <Base.RadioItemIndicator>
          <span aria-hidden className="block size-1.5 rounded-full bg-current" />
        </Base.RadioItemIndicator>
      </span>
      {children}
    </Base.RadioItem>
  );
}

export function MenuCheckboxItem({ className, children, ...rest }: Omit<Base.CheckboxItem.Props, "className"> & { className?: string }) {
  return (
    <Base.CheckboxItem className={cn(ITEM, className)} {...rest}>
      <span aria-hidden className="inline-flex w-4 justify-center">
        <Base.CheckboxItemIndicator>✓</Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="mx-1 my-1 h-px bg-line" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <div className="px-2 pt-1.5 pb-1 font-medium text-2xs text-muted">{children}</div>;
}
