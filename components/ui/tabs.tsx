"use client";

import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface TabsProps<Value extends string> {
  value: Value;
  onValueChange: (value: Value) => void;
  tabs: readonly { value: Value; label: ReactNode; count?: number }[];
  /** Names the row of tabs for screen readers. */
  label: string;
  children: ReactNode;
  className?: string;
}

/** A row of tabs over panels; scrolls sideways by itself where there is no room. */
export function Tabs<Value extends string>({ value, onValueChange, tabs, label, children, className }: TabsProps<Value>) {
  return (
    <Base.Root value={value} onValueChange={(next: Value) => onValueChange(next)} className={className}>
      <Base.List
        aria-label={label}
        activateOnFocus={false}
        className="relative -mx-4 flex gap-1 overflow-x-auto border-line border-b px-4 [scrollbar-width:none] sm:mx-0 sm:px-0"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="focus-inset -mb-px flex h-9 shrink-0 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2.5 font-medium text-muted hover:text-fg data-active:border-fg data-active:text-fg"
          >
            {tab.label}
            {tab.count === undefined ? null : <span className="nums rounded bg-sunken px-1 text-2xs text-muted">{tab.count}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {children}
    </Base.Root>
  );
}

export function TabPanel({ className, ...rest }: Omit<Base.Panel.Props, "className"> & { className?: string }) {
  return <Base.Panel className={cn("pt-4 outline-offset-4", className)} {...rest} />;
}
