"use client";

import { ListFilter, Search, Tag, X } from "lucide-react";
import { useRef, useState } from "react";
import { useShortcut } from "@/components/layout/shortcuts";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Input } from "@/components/ui/input";
import { Kbd } from "@/components/ui/kbd";
import type { ResourcePage } from "@/lib/api/contract";
import { Facets } from "./facets";
import { describeFilter } from "./filter";
import { SortChoice } from "./sort-choice";
import type { FilterControls } from "./use-filter";

interface ListToolbarProps {
  controls: FilterControls;
  facets: ResourcePage["facets"] | undefined;
}

/** Search, labels and facets. On a phone the facets fold away behind one button that says how many are set. */
export function ListToolbar({ controls, facets }: ListToolbarProps) {
  const [open, setOpen] = useState(false);
  const { filter } = controls;
  const active = describeFilter(filter).length;
  return (
    <search aria-label="Filter resources" className="flex flex-col gap-2.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox value={filter.q} onType={(q) => controls.type({ q })} />
        <LabelBox value={filter.label} onType={(label) => controls.type({ label })} />
        <Button
          className={cn("lg:hidden", active > 0 && "border-accent text-accent")}
          aria-expanded={open}
          aria-controls="facets"
          onClick={() => setOpen(!open)}
        >
          <ListFilter aria-hidden />
          Filters{active > 0 ? ` (${active})` : ""}
        </Button>
        <SortChoice sort={filter.sort} onSort={controls.setSort} />
        {active > 0 ? (
          <Button variant="ghost" onClick={controls.clear}>
            <X aria-hidden />
            Clear filters
          </Button>
        ) : null}
      </div>
      <div id="facets" className={cn("flex-wrap gap-x-5 gap-y-2", open ? "flex" : "hidden lg:flex")}>
        <Facets filter={filter} facets={facets} onToggle={controls.toggle} onDrifted={controls.setDrifted} />
      </div>
    </search>
  );
}

function SearchBox({ value, onType }: { value: string; onType: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut({ keys: "/", label: "Search resources", run: () => input.current?.focus() });
  return (
    <div className="relative min-w-48 flex-1 basis-64">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted" />
      <Input
        ref={input}
        type="search"
        aria-label="Search by name, reason or message"
        placeholder="Search name, reason, message"
        className="pr-9 pl-8 [&::-webkit-search-cancel-button]:hidden"
        maxLength={200}
        value={value}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // The browser would empty the box; leaving it must not lose what was searched for.
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
      <Kbd className="pointer-events-none absolute top-1.5 right-2 max-md:hidden">/</Kbd>
    </div>
  );
}

function LabelBox({ value, onType }: { value: string; onType: (value: string) => void }) {
  return (
    <div className="relative min-w-40 flex-1 basis-40 md:max-w-64">
      <Tag aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted" />
      <Input
        aria-label="Label selector, such as tier=edge, env in (prod, stage)"
        placeholder="Labels: tier=edge"
        className="pl-8 font-mono text-xs"
        maxLength={300}
        spellCheck={false}
        autoCapitalize="off"
        value={value}
        onChange={(event) => onType(event.currentTarget.value)}
      />
    </div>
  );
}
