"use client";

import { Select } from "@/components/ui/input";
import { removeAt, setAt } from "../document";
import type { ChoiceNode } from "../schema";
import { useForm } from "./context";
import { type FieldProps, useValue } from "./field";
import { Labelled } from "./frame";

/** One of a fixed set. What the document holds is always shown, also when it is none of them. */
export function ChoiceField(props: FieldProps<ChoiceNode>) {
  const { node, path, required } = props;
  const { edit, readOnly, lockOf } = useForm();
  const value = useValue(path);
  const key = value === undefined ? "" : JSON.stringify(value);
  const options = node.options.map((option) => ({ key: JSON.stringify(option), label: String(option), value: option }));
  const foreign = key !== "" && !options.some((option) => option.key === key);
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.key === chosen);
    edit((text) => (option ? setAt(text, path, option.value) : removeAt(text, path)));
  };
  return (
    <Labelled {...props}>
      {(control) => (
        <Select
          {...control}
          className="max-w-72"
          value={key}
          disabled={readOnly || lockOf(path) !== undefined}
          onChange={(event) => choose(event.target.value)}
        >
          {required && value !== undefined ? null : (
            <option value="">{node.default === undefined ? "Not set" : `Default (${String(node.default)})`}</option>
          )}
          {foreign ? <option value={key}>{`${key} (not one of these)`}</option> : null}
          {options.map((option) => (
            <option key={option.key} value={option.key}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
    </Labelled>
  );
}
