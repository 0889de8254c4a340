"use client";

import { Eye, EyeOff, KeyRound } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { Input, Textarea } from "@/components/ui/input";
import { setAt, valueAt } from "../document";
import { digestOf } from "../schema";
import { useForm } from "./context";
import { type FieldProps, useValue } from "./field";
import { focusField } from "./focus";
import { Labelled } from "./frame";

/** A secret: typed unseen; a stored one is a digest that stays as it is until it is replaced on purpose. */
export function SecretField(props: FieldProps) {
  const { path, label } = props;
  const { edit, readOnly, stored } = useForm();
  const value = useValue(path);
  const before = valueAt(stored, path);
  const [shown, setShown] = useState(false);
  const digest = digestOf(value);
  if (digest !== undefined) {
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span
          className="inline-flex h-8 min-w-0 items-center gap-1.5 truncate font-mono text-muted text-xs"
          title="Only the digest of a stored secret is ever shown."
        >
          <KeyRound aria-hidden className="size-3.5 shrink-0" />
          <span className="sr-only">{label}, stored: </span>
          {`••• ${shortDigest(digest)}`}
        </span>
        {readOnly ? null : (
          <Button
            size="sm"
            aria-label={`Replace value: ${label}`}
            onClick={() => {
              edit((text) => setAt(text, path, ""));
              focusField(path);
            }}
          >
            Replace value
          </Button>
        )}
      </div>
    );
  }
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  const change = (next: string) => edit((document) => setAt(document, path, next));
  return (
    <Labelled {...props}>
      {(control) => (
        <div className="flex items-start gap-1">
          {shown ? (
            <Textarea
              {...control}
              rows={Math.min(Math.max(text.split("\n").length, 1), 12)}
              className="min-h-8 flex-1 font-mono text-xs"
              spellCheck={false}
              value={text}
              readOnly={readOnly}
              onChange={(event) => change(event.target.value)}
            />
          ) : (
            <Input
              {...control}
              type="password"
              autoComplete="new-password"
              className="flex-1"
              value={text}
              readOnly={readOnly}
              onChange={(event) => change(event.target.value)}
            />
          )}
          <IconButton label={shown ? `Hide ${label}` : `Show ${label}`} aria-pressed={shown} onClick={() => setShown(!shown)}>
            {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          </IconButton>
          {digestOf(before) !== undefined && !readOnly ? (
            <Button aria-label={`Keep the stored value of ${label}`} onClick={() => edit((document) => setAt(document, path, before))}>
              Keep stored
            </Button>
          ) : null}
        </div>
      )}
    </Labelled>
  );
}

/** Enough of a digest to tell two apart. */
function shortDigest(digest: string): string {
  return digest.replace(/^([^:]*:)?(.{8}).*$/, "$1$2");
}
