"use client";

import { useRef } from "react";
import { Select } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import type { Json } from "@/lib/resource";
import { setAt } from "../document";
import { blankValue, branchOf, type UnionNode } from "../schema";
import { useForm } from "./context";
import { AnyField, type FieldProps, useValue } from "./field";
import { Group } from "./frame";

/** One of several shapes: choose which, then fill it in. Going back brings back what was there. */
export function UnionField(props: FieldProps<UnionNode>) {
  const { node, path, label } = props;
  const { edit, readOnly } = useForm();
  const value = useValue(path);
  const current = branchOf(node, value);
  const left = useRef(new Map<number, Json>());
  const branch = node.branches[current];
  const choose = (chosen: string) => {
    const index = Number(chosen);
    const next = node.branches[index];
    if (!next || index === current) return;
    if (value !== undefined) left.current.set(current, value);
    edit((text) => setAt(text, path, left.current.get(index) ?? blankValue(next.node)));
  };
  const options = node.branches.map((option, index) => ({ value: String(index), label: option.label }));
  const few = options.length <= 3 && !readOnly;
  return (
    <Group {...props} present={value !== undefined}>
      {few ? (
        <Segmented label={`Kind of ${label}`} value={String(current)} onValueChange={choose} options={options} className="self-start" />
      ) : (
        <Select
          aria-label={`Kind of ${label}`}
          className="max-w-72"
          value={String(current)}
          disabled={readOnly}
          onChange={(event) => choose(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
      {branch ? <AnyField node={branch.node} path={path} label={label} required bare /> : null}
    </Group>
  );
}
