/** setpoint events: what happened to objects, newest first. */
import { Failure } from "../failure";
import { pathOf } from "../kinds";
import { isMap, textAt } from "../objects";
import { formatOf } from "../options";
import { ageOf, document, table } from "../output";
import { nameOf, type Session } from "../session";

const HEAD = ["LAST SEEN", "TYPE", "REASON", "COUNT", "OBJECT", "MESSAGE"];

interface Line {
  at: string;
  type: string;
  reason: string;
  count: string;
  object: string;
  message: string;
}

export async function events(session: Session): Promise<number> {
  const { options, terminal, words } = session;
  const format = formatOf(options);
  if (format === "name") throw new Failure("events have no names: -o must be table, json or yaml");
  const found = words.length > 0 ? await ofObjects(session) : await ofNamespace(session);
  const lines = found.sort((a, b) => (a.at < b.at ? 1 : -1));
  if (format !== "table") terminal.out(document(lines, format));
  else if (lines.length === 0) terminal.err("No events.\n");
  else
    terminal.out(
      table(
        HEAD,
        lines.map(({ at, type, reason, count, object, message }) => [ageOf(at), type, reason, count, object, message]),
      ),
    );
  return 0;
}

async function ofObjects(session: Session): Promise<Line[]> {
  const refs = await session.targets();
  const lists = await Promise.all(
    refs.map(async (ref) => entriesOf(await session.client.ask(pathOf(ref, "events"))).map((entry) => lineOf(entry, "at", nameOf(ref)))),
  );
  return lists.flat();
}

/** Of everything in the namespace, or in all, that may be read. */
async function ofNamespace(session: Session): Promise<Line[]> {
  const { client, namespace } = session;
  const path = namespace === undefined ? "/api/v1/events" : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const known = await session.kinds();
  return entriesOf(await client.ask(path)).map((entry) => {
    const kind = textAt(entry, "involvedObject.kind");
    const plural = known.find((candidate) => candidate.kind === kind)?.plural ?? kind.toLowerCase();
    return lineOf(entry, "lastTimestamp", `${plural}/${textAt(entry, "involvedObject.name")}`);
  });
}

const entriesOf = (answer: unknown): unknown[] => (isMap(answer) && Array.isArray(answer.items) ? answer.items : []);

function lineOf(entry: unknown, time: string, object: string): Line {
  const [type, reason, count, message] = ["type", "reason", "count", "message"].map((key) => textAt(entry, key));
  return { at: textAt(entry, time), type: type ?? "", reason: reason ?? "", count: count ?? "", object, message: message ?? "" };
}
