/** setpoint get <kind> [name…]: what there is. */
import { Failure } from "../failure";
import { collectionOf, type KindName, pathOf } from "../kinds";
import { type Item, isMap, itemOf } from "../objects";
import { formatOf } from "../options";
import { itemTable, printed, serverTable } from "../output";
import type { Session } from "../session";

/** Servers that print tables themselves know the kind's own columns. */
const AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

export async function get(session: Session): Promise<number> {
  const { words, options, terminal, client } = session;
  const [first, ...names] = words;
  if (first === undefined) throw new Failure("name a kind: setpoint get configfiles, or setpoint get all");
  const format = formatOf(options);
  const named = first.includes("/") || names.length > 0;
  if (named)
    return print(session, await Promise.all((await session.targets()).map(async (ref) => itemOf(await client.ask(pathOf(ref))))), true);
  const kinds = first === "all" ? await session.kinds() : [await session.kind(first)];
  if (format === "table" && kinds.length === 1 && kinds[0]) {
    const made = await tableOf(session, kinds[0]);
    if (made !== undefined) {
      terminal.out(made);
      return 0;
    }
  }
  const lists = await Promise.all(kinds.map((kind) => session.list(kind, session.namespace)));
  return print(session, lists.flat(), false);
}

/** What the server prints; undefined when it sends objects. An empty table says so by its head. */
async function tableOf({ client, namespace, options }: Session, kind: KindName): Promise<string | undefined> {
  const query = options.selector === undefined ? "" : `?${new URLSearchParams({ labelSelector: options.selector })}`;
  const answer = await client.ask(`${collectionOf(kind, namespace)}${query}`, { accept: AS_TABLE });
  return isMap(answer) ? serverTable(answer, namespace === undefined) : undefined;
}

async function print(session: Session, items: Item[], named: boolean): Promise<number> {
  const { options, terminal } = session;
  const format = formatOf(options);
  const kinds = await session.kinds();
  const pluralOf = (kind: string) => kinds.find((candidate) => candidate.kind === kind)?.plural ?? kind.toLowerCase();
  const several = new Set(items.map(({ kind }) => kind)).size > 1;
  if (format !== "table") terminal.out(printed(items, format, named && items.length === 1, pluralOf));
  else if (items.length === 0)
    terminal.err(`Nothing found${session.namespace === undefined ? "" : ` in the namespace ${session.namespace}`}.\n`);
  else
    terminal.out(
      itemTable(items, session.namespace === undefined, ({ kind, metadata }) =>
        several ? `${pluralOf(kind)}/${metadata.name}` : metadata.name,
      ),
    );
  return 0;
}
