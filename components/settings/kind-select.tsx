"use client";

import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { Select } from "@/components/ui/input";
import { queries } from "@/lib/client";

/** One kind by its plural, or all of them: empty. */
export function KindSelect(control: Omit<ComponentProps<typeof Select>, "children" | "defaultValue">) {
  const kinds = useQuery(queries.kinds()).data ?? [];
  return (
    <Select {...control} defaultValue="">
      <option value="">all kinds</option>
      {kinds.map(({ name, plural }) => (
        <option key={plural} value={plural}>
          {name}
        </option>
      ))}
    </Select>
  );
}
