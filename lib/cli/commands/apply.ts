/** setpoint apply -f: declares objects as the files say. */
import { deepEqual } from "@/lib/resource";
import { Failure, Refused } from "../failure";
import { kindNamed, pathOf, type Ref } from "../kinds";
import { type Manifest, manifestsOf } from "../manifests";
import { declared, type Item, isMap, itemOf, textAt } from "../objects";
import type { Session } from "../session";

/** Who owns the fields that are applied from here. */
const FIELD_MANAGER = "setpoint";
const APPLY = "application/apply-patch+yaml";

export interface Applied {
  ref: Ref;
  before: Item | undefined;
  after: Item;
}

export async function apply(session: Session): Promise<number> {
  const { options, terminal } = session;
  const dryRun = options["dry-run"] ?? false;
  for (const manifest of await manifestsOf(session)) {
    const { ref, before, after } = await applyOne(session, manifest, dryRun);
    const same = before && (dryRun ? deepEqual(told(before), told(after)) : versionOf(before) === versionOf(after));
    const what = before ? (same ? "unchanged" : "configured") : "created";
    terminal.out(`${ref.kind.plural}/${ref.name} ${what}${dryRun ? " (dry run)" : ""}\n`);
  }
  return 0;
}

const versionOf = (item: Item) => textAt(item, "metadata.resourceVersion");

/** What a dry-run can change: the version stays, because nothing is stored. */
const told = (item: Item) => {
  const { managedFields, ownerReferences } = item.metadata;
  return { ...declared(item), managedFields, ownerReferences };
};

/** What the object becomes. With `dryRun` the server says so and stores nothing. */
export async function applyOne(session: Session, manifest: Manifest, dryRun: boolean): Promise<Applied> {
  const { client, options } = session;
  const ref = await refOf(session, manifest);
  const found = await client.find(pathOf(ref));
  const before = found === undefined ? undefined : itemOf(found);
  const query = new URLSearchParams({ fieldManager: FIELD_MANAGER, force: String(options.force ?? false) });
  if (dryRun) query.set("dryRun", "All");
  if (options.message) query.set("message", options.message);
  const body = { ...manifest.document, metadata: { ...metadataOf(manifest), namespace: ref.namespace } };
  try {
    return { ref, before, after: itemOf(await client.ask(`${pathOf(ref)}?${query}`, { method: "PATCH", contentType: APPLY, body })) };
  } catch (error) {
    throw error instanceof Refused ? new Failure(`${manifest.source}: ${error.message}`) : error;
  }
}

function metadataOf({ document, source }: Manifest) {
  if (!isMap(document.metadata)) throw new Failure(`${source}: metadata is missing`);
  return document.metadata;
}

/** Which object a manifest is about. */
export async function refOf(session: Session, manifest: Manifest): Promise<Ref> {
  const { document, source } = manifest;
  const metadata = metadataOf(manifest);
  if (typeof document.kind !== "string") throw new Failure(`${source}: kind is missing`);
  if (typeof metadata.name !== "string" || metadata.name === "") throw new Failure(`${source}: metadata.name is missing`);
  const namespace = typeof metadata.namespace === "string" ? metadata.namespace : session.client.connection.namespace;
  return { kind: kindNamed(await session.kinds(), document.kind), namespace, name: metadata.name };
}
