"use client";

import { Checkbox } from "@/components/ui/checkbox";
import { insertAt, removeAt } from "../document";
import type { ChoiceNode, ListNode } from "../schema";
import { useForm } from "./context";
import { type FieldProps, useValue } from "./field";
import { Group } from "./frame";

/** Some of a fixed set: a box for each, in place of a list to be filled. What is none of them stays until it is unticked. */
export function ChoiceListField(props: FieldProps<ListNode> & { choice: ChoiceNode }) {
  const { path, label, choice } = props;
  const { edit, readOnly, lockOf } = useForm();
  const value = useValue(path);
  const items = Array.isArray(value) ? value : [];
  const foreign = items.filter((item) => !choice.options.includes(item));
  const toggle = (option: (typeof items)[number], checked: boolean) => {
    if (checked) edit((text) => insertAt(text, path, items.length, option));
    else edit((text) => removeAt(text, [...path, items.indexOf(option)]));
  };
  return (
    <Group {...props} present>
      <ul className="flex flex-wrap gap-x-4 gap-y-1" aria-label={label}>
        {[...choice.options, ...foreign].map((option) => (
          <li key={JSON.stringify(option)}>
            {/* biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control */}
            <label className="flex min-h-6 items-center gap-1">
              <Checkbox
                checked={items.includes(option)}
                disabled={readOnly || lockOf(path) !== undefined}
                onChange={(event) => toggle(option, event.target.checked)}
              />
              <span className="font-mono text-xs">{String(option)}</span>
            </label>
          </li>
        ))}
      </ul>
    </Group>
  );
}
