/** Objects as the server sends them, read as far as a command needs. */
import { API_VERSION, GROUP, type JsonObject } from "@/lib/resource";
import { Failure } from "./failure";

/** What every object of the API has; everything else is carried along. */
export interface Item extends JsonObject {
  kind: string;
  metadata: JsonObject & { name: string; namespace: string };
}

export function isMap(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const words = (value: unknown) => (typeof value === "string" ? value : "");

/** Throws a Failure when it is no object of the API. */
export function itemOf(value: unknown): Item {
  if (!isMap(value) || !isMap(value.metadata) || typeof value.metadata.name !== "string")
    throw new Failure("the server sent something else than an object");
  const { metadata } = value;
  return { ...value, kind: words(value.kind), metadata: { ...metadata, name: words(metadata.name), namespace: words(metadata.namespace) } };
}

export function itemsOf(list: unknown): Item[] {
  if (!isMap(list) || !Array.isArray(list.items)) throw new Failure("the server sent something else than a list");
  const kind = words(list.kind).replace(/List$/, "");
  return list.items.map((item) => itemOf(isMap(item) ? { apiVersion: API_VERSION, kind, ...item } : item));
}

/** What stands at a path such as `view.state`. */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((found, key) => (isMap(found) ? found[key] : undefined), value);
}

export function textAt(value: unknown, path: string): string {
  const found = at(value, path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

export function numberAt(value: unknown, path: string): number | undefined {
  const found = at(value, path);
  return typeof found === "number" ? found : undefined;
}

/** What a person declares of an object: without what the server computes or keeps. */
export function declared({ metadata, ...item }: Item): JsonObject {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const kept: [string, unknown][] = [
    ["name", name],
    ["namespace", namespace],
    ["labels", labels],
    ["annotations", annotations],
    ["finalizers", Array.isArray(finalizers) ? finalizers.filter((finalizer) => !String(finalizer).startsWith(`${GROUP}/`)) : undefined],
  ];
  const given = kept.filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0),
  );
  const result: JsonObject = JSON.parse(JSON.stringify({ apiVersion: API_VERSION, kind: item.kind, metadata: Object.fromEntries(given) }));
  for (const part of ["spec", "control"]) {
    const value = item[part];
    if (value !== undefined) result[part] = value;
  }
  return result;
}
