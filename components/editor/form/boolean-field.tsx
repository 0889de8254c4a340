"use client";

import { Button } from "@/components/ui/button";
import { Switch } from "@/components/ui/switch";
import { removeAt, setAt } from "../document";
import type { BooleanNode } from "../schema";
import { useFault, useForm } from "./context";
import { type FieldProps, useValue } from "./field";
import { FieldLabel, useHint } from "./frame";

/** Yes or no; while it is not set, the switch shows what the default is. */
export function BooleanField(props: FieldProps<BooleanNode>) {
  const { node, path, required, label } = props;
  const { edit, readOnly, lockOf } = useForm();
  const value = useValue(path);
  const fault = useFault(path);
  const hint = useHint({ node: { ...node, default: undefined }, path });
  const fallback = node.default === true;
  const unset = value === undefined;
  return (
    <div className="flex items-start gap-3">
      <Switch
        aria-label={label}
        checked={unset ? fallback : value === true}
        disabled={readOnly || lockOf(path) !== undefined}
        onCheckedChange={(checked) => edit((text) => setAt(text, path, checked))}
      />
      <div className="min-w-0 flex-1 pt-0.5">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <FieldLabel {...props} />
          {unset && !required ? (
            <span className="font-normal text-muted text-xs">{node.default === undefined ? "not set" : "default"}</span>
          ) : null}
          {unset || required || readOnly ? null : (
            <Button
              variant="link"
              size="sm"
              className="text-xs"
              onClick={() => edit((text) => removeAt(text, path))}
              aria-label={`Use the default for ${label}`}
            >
              Use the default
            </Button>
          )}
        </p>
        {hint ? <p className="text-muted text-xs">{hint}</p> : null}
        {fault ? <p className="text-bad text-xs">{fault}</p> : null}
      </div>
    </div>
  );
}
