/** setpoint backup: every object that the caller may read, as a YAML stream that begins with a manifest. */
import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { systemClock, toIso } from "@/lib/clock";
import { Failure, Refused } from "../failure";
import type { KindName } from "../kinds";
import { BACKUP_KIND } from "../manifests";
import { at, declared, type Item, itemsOf, textAt } from "../objects";
import type { Session } from "../session";

const ABOUT_SECRETS =
  "Secrets are not in this backup: in their place stand digests, which tell whether a value is the same and from which no value can be had. " +
  "To bring secrets back, keep a copy of the data folder with its key.";

interface Found {
  items: Item[];
  /** Namespaces that were read when not all may be. */
  namespaces?: string[];
  refused?: string;
}

export async function backup(session: Session): Promise<number> {
  const { client, terminal } = session;
  const kinds = await session.kinds();
  const found = await Promise.all(kinds.map((kind) => allOf(session, kind)));
  const refused = kinds.flatMap(({ plural }, index) =>
    found[index]?.refused === undefined ? [] : [`${plural}: ${found[index]?.refused}`],
  );
  const items = found.flatMap((entry) => entry.items);
  if (items.length === 0 && refused.length === kinds.length) throw new Failure(`you may read nothing here:\n  ${refused.join("\n  ")}`);
  const documents = items.map((item) => `---\n${stringify(declared(item), { lineWidth: 0 })}`).join("");
  const narrowed = [...new Set(found.flatMap(({ namespaces = [] }) => namespaces))];
  const manifest = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: BACKUP_KIND,
    createdAt: toIso(systemClock.now()),
    server: client.connection.server.origin,
    objects: Object.fromEntries(kinds.map(({ plural }, index) => [plural, found[index]?.items.length ?? 0])),
    complete: refused.length === 0 && narrowed.length === 0,
    ...(narrowed.length === 0 ? {} : { namespaces: narrowed }),
    ...(refused.length === 0 ? {} : { notReadable: refused }),
    secrets: ABOUT_SECRETS,
    sha256: createHash("sha256").update(documents).digest("hex"),
  };
  terminal.out(`# ${ABOUT_SECRETS}\n${stringify(manifest, { lineWidth: 0 })}${documents}`);
  terminal.err(`${items.length} objects. ${ABOUT_SECRETS}\n`);
  if (!manifest.complete)
    terminal.err(
      `Not everything may be read by you: ${[...narrowed.map((name) => `only the namespace ${name}`), ...refused].join("; ")}\n`,
    );
  return 0;
}

/** In all namespaces; where that is refused, in those that may be listed, at least in that of this call. */
async function allOf(session: Session, kind: KindName): Promise<Found> {
  try {
    return { items: await session.list(kind, undefined) };
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error;
  }
  const namespaces = await namespacesOf(session);
  const readable: string[] = [];
  const items: Item[] = [];
  let refused: string | undefined;
  for (const namespace of namespaces) {
    try {
      items.push(...(await session.list(kind, namespace)));
      readable.push(namespace);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 403) throw error;
      refused = error.message;
    }
  }
  return { items, namespaces: readable, ...(readable.length === 0 && refused !== undefined ? { refused } : {}) };
}

async function namespacesOf({ client }: Session): Promise<string[]> {
  const own = client.connection.namespace;
  try {
    const list = await client.find("/api/v1/namespaces");
    if (list === undefined || at(list, "items") === undefined) return [own];
    return [...new Set([own, ...itemsOf(list).map((item) => textAt(item, "metadata.name"))])];
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return [own];
    throw error;
  }
}
