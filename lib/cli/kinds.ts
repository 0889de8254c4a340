/** Which kinds the server has, asked from its discovery. */
import { API_VERSION } from "@/lib/resource";
import type { Client } from "./client";
import { Failure } from "./failure";
import { isMap } from "./objects";

export interface KindName {
  kind: string;
  plural: string;
  words: string[];
}

export async function kindsOf(client: Client): Promise<KindName[]> {
  const answer = await client.ask(`/apis/${API_VERSION}`);
  if (!isMap(answer) || !Array.isArray(answer.resources)) throw new Failure("the server sent no list of kinds");
  return answer.resources.flatMap((entry): KindName[] => {
    if (!isMap(entry) || typeof entry.name !== "string" || typeof entry.kind !== "string" || entry.name.includes("/")) return [];
    const short = Array.isArray(entry.shortNames) ? entry.shortNames.filter((word) => typeof word === "string") : [];
    const singular = typeof entry.singularName === "string" ? entry.singularName : "";
    const words = [entry.name, singular, entry.kind, ...short].map((word) => word.toLowerCase());
    return [{ kind: entry.kind, plural: entry.name, words: words.filter((word) => word !== "") }];
  });
}

/** By plural, singular, kind or short name. */
export function kindNamed(kinds: readonly KindName[], word: string): KindName {
  const wanted = word.toLowerCase().replace(/\..*$/, "");
  const found = kinds.find(({ words }) => words.includes(wanted));
  if (!found) throw new Failure(`the server has no kind ${word}; it has ${kinds.map(({ plural }) => plural).join(", ")}`);
  return found;
}

export interface Ref {
  kind: KindName;
  namespace: string;
  name: string;
}

export function pathOf({ kind, namespace, name }: Ref, part?: string): string {
  const path = `${collectionOf(kind, namespace)}/${encodeURIComponent(name)}`;
  return part === undefined ? path : `${path}/${part}`;
}

/** The objects of a kind in a namespace, or in all. */
export function collectionOf({ plural }: KindName, namespace: string | undefined): string {
  const base = `/apis/${API_VERSION}`;
  return namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}
