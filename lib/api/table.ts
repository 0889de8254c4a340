/** Server-side printing: what `kubectl get` shows. Columns come from the kind; state and age are everybody's. */
import { z } from "zod";
import { fromIso, type Instant } from "@/lib/clock";
import type { Json } from "@/lib/resource";
import { shortDuration } from "./age";
import type { AnyKind } from "./call";
import type { ApiObject } from "./contract";

export interface TableColumn {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "date";
  format: string;
  description: string;
  /** 1: only in wide views. */
  priority: number;
}

/** A column and the cell of a row. */
export interface Printer<T> {
  column: TableColumn;
  cell(item: T, now: Instant): Json;
}

export function column(name: string, description: string, more: Partial<TableColumn> = {}): TableColumn {
  return { name, type: "string", format: "", description, priority: 0, ...more };
}

/** Every namespaced object has these first and last. */
export const NAME = column("Name", "The object's name, unique within its namespace and kind.", { format: "name" });
export const AGE = column("Age", "How long ago it was created.", { type: "date" });
export const ageCell = (created: string, now: Instant) => shortDuration(now - (fromIso(created) ?? now));

const printers = new WeakMap<AnyKind, Printer<ApiObject>[]>();

/** The columns of a kind: its name, its own, the state in one word, and its age; in wide views the reason and the next attempt too. */
export function printersOf(kind: AnyKind): Printer<ApiObject>[] {
  const known = printers.get(kind);
  if (known) return known;
  const schema = z.toJSONSchema(kind.schema, { io: "input", unrepresentable: "any" });
  const made: Printer<ApiObject>[] = [
    { column: NAME, cell: ({ metadata }) => metadata.name },
    ...kind.columns.map(({ name, path, priority }) => ({
      column: column(name, `The field ${path}.`, { type: typeAt(schema, path), priority: priority ?? 0 }),
      cell: (object: ApiObject) => shown(at(object, path)),
    })),
    { column: column("State", "What is known of it now, in one word; paused and stale come first."), cell: ({ view }) => view.state },
    { column: column("Reason", "Why it is in that state.", { priority: 1 }), cell: ({ view }) => view.reason },
    {
      column: column("Next attempt", "When a failed attempt is repeated.", { priority: 1 }),
      cell: ({ view }) => view.nextAttemptAt ?? null,
    },
    { column: AGE, cell: ({ metadata }, now) => ageCell(metadata.creationTimestamp, now) },
  ];
  printers.set(kind, made);
  return made;
}

function at(object: unknown, path: string): unknown {
  let value = object;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** A cell holds one line. */
function shown(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "number")) return value.join(",");
  return JSON.stringify(value);
}

/** The type that the kind's schema gives a field of spec; text where it says nothing. */
function typeAt(schema: unknown, path: string): TableColumn["type"] {
  const [root, ...rest] = path.split(".");
  if (root !== "spec") return "string";
  let node = schema;
  for (const part of rest) node = at(node, `properties.${part}`);
  const type = at(node, "type");
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}
