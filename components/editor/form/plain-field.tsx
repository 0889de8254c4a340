"use client";

import { Input, Textarea } from "@/components/ui/input";
import type { Json } from "@/lib/resource";
import { removeAt, setAt } from "../document";
import type { AnyNode, NumberNode, TextNode } from "../schema";
import { useForm } from "./context";
import { type FieldProps, useValue } from "./field";
import { Labelled } from "./frame";
import { isMultiline, shortValue } from "./label";

type PlainNode = TextNode | NumberNode | AnyNode;

/** A text, a number, or a value without a schema. What was typed is what the document holds, right or wrong. */
export function PlainField(props: FieldProps<PlainNode>) {
  const { node, path, required } = props;
  const { edit, readOnly, lockOf } = useForm();
  const value = useValue(path);
  const locked = lockOf(path) !== undefined;
  const shown = value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const change = (text: string) => {
    // An emptied optional field is one that is not set; in a list or map the entry itself stays.
    const removes = text === "" && !required && typeof path[path.length - 1] === "string" && !props.bare;
    edit((document) => (removes ? removeAt(document, path) : setAt(document, path, read(node, text))));
  };
  const placeholder = placeholderOf(node);
  return (
    <Labelled {...props}>
      {(control) =>
        isMultiline(node, value) ? (
          <Textarea
            {...control}
            rows={Math.min(Math.max(shown.split("\n").length + 1, 6), 24)}
            className="font-mono text-xs"
            wrap="off"
            spellCheck={false}
            value={shown}
            placeholder={placeholder}
            readOnly={readOnly || locked}
            required={required}
            onChange={(event) => change(event.target.value)}
          />
        ) : (
          <Input
            {...control}
            value={shown}
            placeholder={placeholder}
            inputMode={node.type === "number" ? "numeric" : undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className={node.type === "number" ? "nums max-w-40" : undefined}
            disabled={readOnly || locked}
            required={required}
            onChange={(event) => change(event.target.value)}
          />
        )
      }
    </Labelled>
  );
}

/** A number where a number was typed; anything else stays the text it is, and the check says what is wrong. */
export function read(node: PlainNode, text: string): Json {
  if (node.type === "text") return text;
  const trimmed = text.trim();
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(trimmed) && Number.isFinite(Number(trimmed)) && String(Number(trimmed)) === trimmed)
    return Number(trimmed);
  return text;
}

function placeholderOf(node: PlainNode): string | undefined {
  if (node.default !== undefined && typeof node.default !== "object") return shortValue(node.default);
  const [example] = node.examples;
  return example === undefined || typeof example === "object" ? undefined : `e.g. ${shortValue(example).split("\n")[0]}`;
}
