import { API_VERSION, type State } from "@/lib/resource";

/** What names one object in URLs. */
export interface ObjectRef {
  plural: string;
  namespace: string;
  name: string;
}

export type Subresource = "plan" | "reconcile" | "control" | "revisions" | "events" | "passes";

/** Path of a kind's objects in one namespace. */
export function collectionPath(plural: string, namespace: string): string {
  return `/apis/${API_VERSION}/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(plural)}`;
}

/** Path of one object or of one of its subresources. */
export function objectPath({ plural, namespace, name }: ObjectRef, subresource?: Subresource): string {
  const path = `${collectionPath(plural, namespace)}/${encodeURIComponent(name)}`;
  return subresource ? `${path}/${subresource}` : path;
}

/** The page of one object. */
export function resourceHref({ plural, namespace, name }: ObjectRef, tab?: string): string {
  const path = `/resources/${encodeURIComponent(plural)}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  return tab ? `${path}?tab=${encodeURIComponent(tab)}` : path;
}

export interface ListFilter {
  q?: string;
  kind?: string | string[];
  namespace?: string | string[];
  state?: State | State[];
  mode?: string | string[];
  label?: string;
  drifted?: boolean;
  sort?: string;
  page?: number;
  limit?: number;
}

/** The list's query string: repeated parameters are alternatives, empty values are left out, the order is fixed. */
export function listQuery(filter: ListFilter): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== "" && item !== false) search.append(key, String(item));
    }
  }
  return search.toString();
}

/** The Resources page with a filter. */
export function resourcesHref(filter: ListFilter = {}): string {
  const query = listQuery(filter);
  return query === "" ? "/resources" : `/resources?${query}`;
}
