"use client";

import { useState } from "react";
import type { Json, JsonObject, ManagedFields } from "@/lib/resource";
import { FieldOwners } from "./field-owners";
import { Value } from "./value";

/** Every field of the spec with its value and whose it is, folded away: what was compared stands above. */
export function SpecOwners({ spec, managed }: { spec: JsonObject; managed: readonly ManagedFields[] }) {
  const [open, setOpen] = useState(false);
  const fields = fieldsIn(spec, "spec");
  if (managed.length === 0 || fields.length === 0) return null;
  return (
    <details className="mt-4" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="min-h-6 cursor-pointer text-sm text-muted">Whose each field of the spec is ({fields.length})</summary>
      {open ? <FieldList fields={fields} managed={managed} /> : null}
    </details>
  );
}

function FieldList({ fields, managed }: { fields: ReturnType<typeof fieldsIn>; managed: readonly ManagedFields[] }) {
  return (
    <dl className="mt-2 text-sm">
      {fields.map(({ path, value }) => (
        <div key={path} className="border-b border-line/60 py-1.5 sm:flex sm:gap-3">
          <dt className="min-w-0 sm:w-[40%]">
            <span className="font-mono text-xs break-all">{path}</span>
            <FieldOwners managed={managed} path={path} />
          </dt>
          <dd className="min-w-0 sm:flex-1">
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Maps field by field, everything else as a whole; what is shown of a secret is one value. */
function fieldsIn(value: JsonObject, path: string): { path: string; value: Json }[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${path}.${key}`;
    const nested = typeof inner === "object" && inner !== null && !Array.isArray(inner) && Object.keys(inner).length > 0;
    return nested && !Object.hasOwn(inner, "digest") ? fieldsIn(inner, here) : [{ path: here, value: inner }];
  });
}
