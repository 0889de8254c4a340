/** v1 namespaces. They are implied: there is nothing to create, configure or delete, and `default` is always there. */
import { createHash } from "node:crypto";
import { SetpointError } from "@/lib/errors";
import { decideAccess } from "@/lib/policies/access";
import type { StoredNamespace } from "@/lib/store/catalogue";
import type { Call } from "../call";
import { json } from "../respond";
import { Shaper } from "../shapes";
import { AGE, ageCell, column, NAME, type Printer } from "../table";

const ALWAYS: StoredNamespace = { name: "default", since: "1970-01-01T00:00:00.000Z", kinds: [] };

type Namespace = ReturnType<typeof objectOf>;

const PRINTERS: Printer<Namespace>[] = [
  { column: NAME, cell: ({ metadata }) => metadata.name },
  { column: column("Status", "A namespace that is shown is Active."), cell: ({ status }) => status.phase },
  { column: AGE, cell: ({ metadata }, now) => ageCell(metadata.creationTimestamp, now) },
];

function objectOf({ name, since }: StoredNamespace) {
  const hash = createHash("sha256").update(`namespace/${name}`).digest("hex");
  const uid = [hash.slice(0, 8), hash.slice(8, 12), `5${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join("-");
  const metadata = { name, uid, resourceVersion: "1", creationTimestamp: since, labels: { "kubernetes.io/metadata.name": name } };
  return { apiVersion: "v1", kind: "Namespace", metadata, spec: {}, status: { phase: "Active" } };
}

/** Those in which the caller may see something: what may not be read is not told of. */
async function visible(call: Call): Promise<StoredNamespace[]> {
  const stored = await call.dependencies.catalogue.namespaces();
  const plurals = new Map(call.dependencies.engine.kinds.map(({ name, plural }) => [name, plural]));
  const known = stored.some(({ name }) => name === ALWAYS.name) ? stored : [ALWAYS, ...stored];
  return known.filter(
    ({ name, kinds }) =>
      kinds.length === 0 ||
      kinds.some((kind) => decideAccess(call.principal, "list", { plural: plurals.get(kind) ?? kind, namespace: name }).allowed),
  );
}

export async function listNamespaces(call: Call): Promise<Response> {
  const shaper = new Shaper(call, PRINTERS);
  const items = (await visible(call)).map(objectOf);
  return json(call, shaper.list({ apiVersion: "v1", kind: "NamespaceList" }, { resourceVersion: "1" }, items));
}

export async function getNamespace(call: Call): Promise<Response> {
  const shaper = new Shaper(call, PRINTERS);
  const name = call.address.name ?? "";
  const found = (await visible(call)).find((candidate) => candidate.name === name);
  if (!found) throw new SetpointError("NotFound", `namespaces "${name}" not found`);
  return json(call, shaper.one(objectOf(found)));
}
