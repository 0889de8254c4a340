"use client";

import { Card, CardBody, CardHeader } from "@/components/ui/card";
import type { Json } from "@/lib/resource";
import { pathKey, pathText } from "./document";
import { shortValue } from "./form/label";
import { effectiveDefaults, type ObjectNode } from "./schema";

/** What is not written and will hold all the same. */
export function Defaults({ schema, value }: { schema: ObjectNode; value: Json }) {
  const defaults = effectiveDefaults(schema, value);
  if (defaults.length === 0) return null;
  return (
    <Card>
      <CardHeader title="Filled in by default" />
      <CardBody>
        <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 text-xs">
          {defaults.map((entry) => (
            <div key={pathKey(entry.path)} className="contents">
              <dt className="min-w-0 break-words font-mono text-muted">{pathText(entry.path)}</dt>
              <dd className="font-mono">{shortValue(entry.value)}</dd>
            </div>
          ))}
        </dl>
      </CardBody>
    </Card>
  );
}
