/** setpoint events: what happened to objects, newest first. */
import { Failure } from "../failure";
import { pathOf } from "../kinds";
import { isMap, textAt } from "../objects";
import { formatOf } from "../options";
import { ageOf, document, table } from "../output";
import { nameOf, type Session } from "../session";

const HEAD = ["LAST SEEN", "TYPE", "REASON", "COUNT", "OBJECT", "MESSAGE"];

export async function events(session: Session): Promise<number> {
  const { client, options, terminal, words } = session;
  const format = formatOf(options);
  if (format === "name") throw new Failure("events have no names: -o must be table, json or yaml");
  const refs = words.length > 0 ? await session.targets() : await everything(session);
  const found = await Promise.all(
    refs.map(async (ref) => {
      const answer = await client.ask(pathOf(ref, "events"));
      const items = isMap(answer) && Array.isArray(answer.items) ? answer.items : [];
      return items.map((event) => ({ object: nameOf(ref), event }));
    }),
  );
  const all = found.flat().sort((a, b) => (textAt(a.event, "at") < textAt(b.event, "at") ? 1 : -1));
  if (format !== "table")
    terminal.out(
      document(
        all.map(({ object, event }) => ({ object, ...(isMap(event) ? event : {}) })),
        format,
      ),
    );
  else if (all.length === 0) terminal.err("No events.\n");
  else
    terminal.out(
      table(
        HEAD,
        all.map(({ object, event }) => [
          ageOf(textAt(event, "at")),
          textAt(event, "type"),
          textAt(event, "reason"),
          textAt(event, "count"),
          object,
          textAt(event, "message"),
        ]),
      ),
    );
  return 0;
}

/** Every object of the namespace, or of all. */
async function everything(session: Session) {
  const kinds = await session.kinds();
  const lists = await Promise.all(kinds.map(async (kind) => ({ kind, items: await session.list(kind, session.namespace) })));
  return lists.flatMap(({ kind, items }) => items.map(({ metadata }) => ({ kind, namespace: metadata.namespace, name: metadata.name })));
}
