"use client";

import { Lock, Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { Field, type FieldControl } from "@/components/ui/field";
import { type Path, pathId, removeAt, setAt } from "../document";
import { blankValue } from "../schema";
import { useFault, useForm } from "./context";
import { type FieldProps, useValue } from "./field";
import { shortValue } from "./label";

/** The label of a field with its marks: what must be filled in, what cannot change. */
export function FieldLabel({ label, required, path }: { label: string; required: boolean; path: Path }) {
  const lock = useForm().lockOf(path);
  return (
    <span className="inline-flex items-center gap-1">
      {label}
      {required ? (
        <span className="text-bad" title="Required">
          <span aria-hidden>*</span>
          <span className="sr-only">, required</span>
        </span>
      ) : null}
      {lock ? (
        <span className="inline-flex text-muted" title={lock}>
          <Lock aria-hidden className="size-3" />
        </span>
      ) : null}
    </span>
  );
}

/** What is said below a field: why it is locked, else what it is for and what happens when it is left out. */
export function useHint({ node, path }: Pick<FieldProps, "node" | "path">): string | undefined {
  const lock = useForm().lockOf(path);
  if (lock) return lock;
  const fallback = node.default === undefined || typeof node.default === "object" ? "" : ` Left out: ${shortValue(node.default)}.`;
  const hint = `${node.description ?? ""}${fallback}`.trim();
  return hint === "" ? undefined : hint;
}

/** What a control carries so that its label, its fault and its being left are known. */
export type Wired = Omit<FieldControl, "id"> & { id: string; onBlur: () => void; "aria-label"?: string };

/** A labelled control of one value. In a bare row only the fault is drawn. */
export function Labelled({ children, ...props }: FieldProps & { children: (control: Wired) => ReactNode }) {
  const fault = useFault(props.path);
  const hint = useHint(props);
  const { touch } = useForm();
  const onBlur = () => touch(props.path);
  if (props.bare) {
    const id = pathId(props.path);
    const told = { "aria-describedby": fault ? `${id}-fault` : undefined, "aria-invalid": fault ? (true as const) : undefined };
    return (
      <>
        {children({ id: `${id}-control`, "aria-label": props.label, ...told, onBlur })}
        {fault ? (
          <p id={`${id}-fault`} className="mt-1 text-bad text-xs">
            {fault}
          </p>
        ) : null}
      </>
    );
  }
  return (
    <Field label={<FieldLabel {...props} />} hint={hint} error={fault}>
      {(control) => children({ ...control, onBlur })}
    </Field>
  );
}

/** A group of fields with a heading; optional ones can be added and removed as a whole. */
export function Group({ node, path, label, required, bare, present, children }: FieldProps & { present: boolean; children: ReactNode }) {
  const { readOnly, edit } = useForm();
  const fault = useFault(path);
  const stands = useValue(path) !== undefined;
  if (!present && !required) return <AddField node={node} path={path} label={label} required={required} />;
  const body = (
    <>
      {fault ? <p className="text-bad text-xs">{fault}</p> : null}
      {children}
    </>
  );
  if (bare) return <div className="flex min-w-0 flex-col gap-3">{body}</div>;
  return (
    <fieldset className="min-w-0 rounded-lg border border-line px-3 pt-2 pb-3">
      <legend className="flex items-center gap-1 px-1 font-medium">
        <FieldLabel label={label} required={required} path={path} />
        {required || readOnly || !stands ? null : (
          <IconButton label={`Remove ${label}`} size="sm" onClick={() => edit((text) => removeAt(text, path))}>
            <Trash2 aria-hidden />
          </IconButton>
        )}
      </legend>
      <div className="flex min-w-0 flex-col gap-3">
        {node.description ? <p className="text-muted text-xs">{node.description}</p> : null}
        {body}
      </div>
    </fieldset>
  );
}

/** An optional part that is not there: what it would be for, and a button to add it. */
function AddField({ node, path, label }: FieldProps) {
  const { readOnly, edit } = useForm();
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 rounded-lg border border-line border-dashed px-3 py-2">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium">
          {label} <span className="font-normal text-muted">(not set)</span>
        </p>
        {node.description ? <p className="text-muted text-xs">{node.description}</p> : null}
      </div>
      {readOnly ? null : (
        <Button size="sm" onClick={() => edit((text) => setAt(text, path, blankValue(node)))} aria-label={`Add ${label}`}>
          <Plus aria-hidden />
          Add
        </Button>
      )}
    </div>
  );
}
