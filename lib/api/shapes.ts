/** The same objects in the shape that the client asked for: as they are, as a table, or as metadata alone. */
import type { Metadata } from "@/lib/resource";
import { chosen } from "./accept";
import type { Call } from "./call";
import type { ApiObject } from "./contract";
import { one } from "./query";
import { bad, json } from "./respond";
import { type Printer, printersOf } from "./table";

const META = ["meta.k8s.io/v1", "meta.k8s.io/v1beta1"];
/** What lists and single objects can be answered as. */
export const SHAPES = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"].flatMap((as) =>
  META.map((version) => `${as}.${version}`),
);

interface ListMetadata {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

interface Shown {
  apiVersion: string;
  kind: string;
  metadata: Pick<Metadata, "name" | "resourceVersion"> & object;
}

const INCLUDE = ["None", "Metadata", "Object"];

/** How much of each object comes with its row of a table. Throws BadRequest. */
export function includedOf(query: URLSearchParams): string {
  const include = one(query, "includeObject") ?? "Metadata";
  if (!INCLUDE.includes(include)) throw bad(`the parameter includeObject must be one of ${INCLUDE.join(", ")}`);
  return include;
}

/** How this request wants its answer. Made once, before anything is read: it throws NotAcceptable or BadRequest. */
export class Shaper<T extends Shown> {
  private readonly as?: string;
  private readonly apiVersion: string;
  private readonly include: string;
  private headed = false;

  constructor(
    private readonly call: Call,
    private readonly printers: readonly Printer<T>[],
  ) {
    const { as, apiVersion } = chosen(call.accepts, SHAPES);
    this.as = as;
    this.apiVersion = apiVersion ?? "";
    this.include = includedOf(call.query);
  }

  /** One object. */
  one(item: T): unknown {
    if (this.as === "Table") return this.table([item], { resourceVersion: item.metadata.resourceVersion });
    return this.as === undefined ? item : this.partial(item);
  }

  /** One object of a stream: its columns are described once. */
  frame(item: T): unknown {
    if (this.as !== "Table") return this.one(item);
    const table = this.table([item], { resourceVersion: item.metadata.resourceVersion });
    const first = !this.headed;
    this.headed = true;
    return first ? table : { ...table, columnDefinitions: null };
  }

  /** What tells a watch only how far it has come. */
  bookmark(kind: { apiVersion: string; kind: string }, resourceVersion: string, annotations?: Record<string, string>): unknown {
    const metadata = { resourceVersion, creationTimestamp: null, ...(annotations ? { annotations } : {}) };
    if (this.as === undefined) return { ...kind, metadata };
    const partial = { kind: "PartialObjectMetadata", apiVersion: this.apiVersion, metadata };
    if (this.as !== "Table") return partial;
    const cells = this.printers.map(() => null);
    return {
      kind: "Table",
      apiVersion: this.apiVersion,
      metadata: { resourceVersion },
      columnDefinitions: null,
      rows: [{ cells, object: partial }],
    };
  }

  list(of: { apiVersion: string; kind: string }, metadata: ListMetadata, items: readonly T[]): unknown {
    if (this.as === "Table") return this.table(items, metadata);
    if (this.as === undefined) return { ...of, metadata, items };
    return { kind: "PartialObjectMetadataList", apiVersion: this.apiVersion, metadata, items: items.map((item) => this.partial(item)) };
  }

  private partial({ metadata }: T) {
    return { kind: "PartialObjectMetadata", apiVersion: this.apiVersion, metadata };
  }

  private table(items: readonly T[], metadata: ListMetadata) {
    const { now } = this.call;
    const object = (item: T) => (this.include === "None" ? null : this.include === "Object" ? item : this.partial(item));
    return {
      kind: "Table",
      apiVersion: this.apiVersion,
      metadata,
      columnDefinitions: this.printers.map(({ column }) => column),
      rows: items.map((item) => ({ cells: this.printers.map(({ cell }) => cell(item, now)), object: object(item) })),
    };
  }
}

/** The shaper of the kind that the URL names. */
export function shaperOf(call: Call): Shaper<ApiObject> {
  return new Shaper(call, printersOf(call.kind));
}

/** One object of the kind that the URL names, as the client wants it. */
export function answer(call: Call, object: ApiObject, status = 200): Response {
  return json(call, shaperOf(call).one(object), status);
}
