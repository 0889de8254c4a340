/** Objects printed as tables, JSON, YAML or names. */
import { stringify } from "yaml";
import { fromIso, systemClock } from "@/lib/clock";
import type { JsonObject } from "@/lib/resource";
import { at, type Item, isMap, numberAt, textAt } from "./objects";
import type { Format } from "./options";

/** Columns padded to the same width, the last one as it is. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, index) => Math.max(...all.map((row) => (row[index] ?? "").length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** "5s", "12m", "3h", "9d" since then. */
export function ageOf(iso: string): string {
  const since = fromIso(iso);
  if (since === undefined) return "";
  const seconds = Math.max(0, Math.floor((systemClock.now() - since) / 1_000));
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  return `${Math.floor(seconds / DAY)}d`;
}

const HEAD = ["NAME", "STATE", "REASON", "GENERATION", "AGE"];

function rowOf(item: Item, name: string): string[] {
  const observed = numberAt(item, "status.observedGeneration") ?? 0;
  return [
    name,
    textAt(item, "view.state"),
    textAt(item, "view.reason"),
    `${observed}/${textAt(item, "metadata.generation")}`,
    ageOf(textAt(item, "metadata.creationTimestamp")),
  ];
}

/** A table of the product's own: state and reason as the pages show them. */
export function itemTable(items: readonly Item[], withNamespace: boolean, nameOfItem: (item: Item) => string): string {
  const rows = items.map((item) => [...(withNamespace ? [item.metadata.namespace] : []), ...rowOf(item, nameOfItem(item))]);
  return table([...(withNamespace ? ["NAMESPACE"] : []), ...HEAD], rows);
}

export function document(value: unknown, format: "json" | "yaml"): string {
  return format === "json" ? `${JSON.stringify(value, null, 2)}\n` : stringify(value, { lineWidth: 0 });
}

/** One object as itself, several as a list. */
export function documents(items: readonly Item[], one: boolean, format: "json" | "yaml"): string {
  const [first] = items;
  return document(one && first ? first : { apiVersion: "v1", kind: "List", items }, format);
}

/** A table that the server made, with the columns that are always shown. */
export function serverTable(value: JsonObject, withNamespace: boolean): string | undefined {
  const { columnDefinitions, rows } = value;
  if (value.kind !== "Table" || !Array.isArray(columnDefinitions) || !Array.isArray(rows)) return undefined;
  const shown = columnDefinitions.flatMap((column, index) =>
    isMap(column) && !numberAt(column, "priority") ? [{ index, name: textAt(column, "name") }] : [],
  );
  const lines = rows.map((row) => {
    const cells = at(row, "cells");
    const texts = shown.map(({ index }) => (Array.isArray(cells) ? textOf(cells[index]) : ""));
    return withNamespace ? [textAt(row, "object.metadata.namespace"), ...texts] : texts;
  });
  return table([...(withNamespace ? ["NAMESPACE"] : []), ...shown.map(({ name }) => name.toUpperCase())], lines);
}

const textOf = (cell: unknown) =>
  cell === null || cell === undefined ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell);

export function printed(
  items: readonly Item[],
  format: Exclude<Format, "table">,
  one: boolean,
  pluralOf: (kind: string) => string,
): string {
  if (format !== "name") return documents(items, one, format);
  return items.map(({ kind, metadata }) => `${pluralOf(kind)}/${metadata.name}\n`).join("");
}
