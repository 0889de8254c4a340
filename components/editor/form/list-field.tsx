"use client";

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "@/components/ui/button";
import { insertAt, moveItem, type Path, removeAt } from "../document";
import { blankValue, type ListNode } from "../schema";
import { useForm } from "./context";
import { AnyField, type FieldProps, useValue } from "./field";
import { focusField } from "./focus";
import { Group } from "./frame";

/** A list: items can be added, removed and put in another order. */
export function ListField(props: FieldProps<ListNode>) {
  const { node, path, label } = props;
  const { edit, readOnly } = useForm();
  const value = useValue(path);
  const items = Array.isArray(value) ? value : [];
  const full = node.max !== undefined && items.length >= node.max;
  const add = () => {
    edit((text) => insertAt(text, path, items.length, blankValue(node.items)));
    focusField([...path, items.length]);
  };
  return (
    <Group {...props} present={value !== undefined || node.items.type === "text"}>
      {items.length > 0 ? (
        <ol className="flex flex-col gap-2">
          {items.map((_item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index is the item's identity in the document
            <ListItem key={index} list={props} index={index} count={items.length} />
          ))}
        </ol>
      ) : (
        <p className="text-muted text-xs">Nothing in it.</p>
      )}
      {readOnly ? null : (
        <Button size="sm" className="self-start" onClick={add} disabled={full} aria-label={`Add to ${label}`}>
          <Plus aria-hidden />
          Add
        </Button>
      )}
    </Group>
  );
}

function ListItem({ list, index, count }: { list: FieldProps<ListNode>; index: number; count: number }) {
  const { edit, readOnly } = useForm();
  const { node, path, label } = list;
  const here: Path = [...path, index];
  const name = `${label} ${index + 1}`;
  const nested = node.items.type === "object" || node.items.type === "union" || node.items.type === "map";
  const move = (to: number) => {
    edit((text) => moveItem(text, path, index, to));
    focusField([...path, to]);
  };
  return (
    <li className={nested ? "flex flex-col gap-2 rounded-md border border-line bg-canvas/50 p-3" : "flex items-start gap-1"}>
      <div className="min-w-0 flex-1">
        <AnyField node={node.items} path={here} label={name} required bare />
      </div>
      {readOnly ? null : (
        <div className={nested ? "flex gap-1 self-end" : "flex gap-0"}>
          <IconButton label={`Move ${name} up`} disabled={index === 0} onClick={() => move(index - 1)}>
            <ArrowUp aria-hidden />
          </IconButton>
          <IconButton label={`Move ${name} down`} disabled={index === count - 1} onClick={() => move(index + 1)}>
            <ArrowDown aria-hidden />
          </IconButton>
          <IconButton label={`Remove ${name}`} onClick={() => edit((text) => removeAt(text, here))}>
            <Trash2 aria-hidden />
          </IconButton>
        </div>
      )}
    </li>
  );
}
