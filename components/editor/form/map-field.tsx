"use client";

import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { type Path, removeAt, renameKey, setAt } from "../document";
import { problemsAt } from "../problems";
import { asObject, blankValue, type MapNode } from "../schema";
import { useForm } from "./context";
import { AnyField, type FieldProps, useValue } from "./field";
import { focusField } from "./focus";
import { Group } from "./frame";

/** Names and values of one's own choosing. */
export function MapField(props: FieldProps<MapNode>) {
  const { path, node, label } = props;
  const { readOnly, lockOf } = useForm();
  const entries = Object.keys(asObject(useValue(path)) ?? {});
  const frozen = readOnly || lockOf(path) !== undefined;
  return (
    <Group {...props} present>
      {entries.length > 0 ? (
        <ul className="flex flex-col gap-3 sm:gap-2">
          {entries.map((key) => (
            <Entry key={key} map={props} name={key} frozen={frozen} />
          ))}
        </ul>
      ) : null}
      {frozen ? null : <NewEntry node={node} path={path} label={label} taken={entries} />}
    </Group>
  );
}

function Entry({ map, name, frozen }: { map: FieldProps<MapNode>; name: string; frozen: boolean }) {
  const { edit, problems } = useForm();
  const { node, path, label } = map;
  const here: Path = [...path, name];
  const [typed, setTyped] = useState(name);
  const fault = problemsAt(problems, here).find((problem) => problem.message.startsWith("the name"));
  const rename = () => {
    if (typed !== name && typed !== "") edit((text) => renameKey(text, path, name, typed));
    else setTyped(name);
  };
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_2rem] items-start gap-1 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_2rem]">
      <Input
        aria-label={`Name in ${label}`}
        aria-invalid={fault ? true : undefined}
        value={typed}
        className="font-mono text-xs"
        disabled={frozen}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.metaKey && !event.ctrlKey) rename();
        }}
      />
      <div className="max-sm:order-3 max-sm:col-span-2">
        <AnyField node={node.values} path={here} label={`Value of ${name}`} required bare />
      </div>
      {frozen ? (
        <span />
      ) : (
        <IconButton label={`Remove ${name}`} onClick={() => edit((text) => removeAt(text, here))}>
          <Trash2 aria-hidden />
        </IconButton>
      )}
    </li>
  );
}

/** A row for the next entry: it joins the document once it has a name. */
function NewEntry({ node, path, label, taken }: { node: MapNode; path: Path; label: string; taken: readonly string[] }) {
  const { edit } = useForm();
  const [name, setName] = useState("");
  const id = useId();
  const fault = name === "" ? undefined : taken.includes(name) ? "is taken" : node.keyFault?.(name);
  const add = () => {
    if (name === "" || fault) return;
    edit((text) => setAt(text, [...path, name], blankValue(node.values)));
    focusField([...path, name]);
    setName("");
  };
  const left = node.keyOptions?.filter((option) => !taken.includes(option));
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="min-w-0 flex-1 basis-40 sm:max-w-64">
        <Input
          aria-label={`Name of a new entry in ${label}`}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? `${id}-fault` : undefined}
          value={name}
          placeholder="Name"
          className="font-mono text-xs"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          list={left ? `${id}-options` : undefined}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.metaKey || event.ctrlKey) return;
            event.preventDefault();
            add();
          }}
        />
        {left ? (
          <datalist id={`${id}-options`}>
            {left.map((option) => (
              <option key={option} value={option} />
            ))}
          </datalist>
        ) : null}
        {fault ? (
          <p id={`${id}-fault`} className="mt-1 text-bad text-xs">
            The name {fault}.
          </p>
        ) : null}
      </div>
      <Button size="md" onClick={add} disabled={name === "" || fault !== undefined} aria-label={`Add to ${label}`}>
        <Plus aria-hidden />
        Add
      </Button>
    </div>
  );
}
