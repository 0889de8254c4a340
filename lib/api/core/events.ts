/** v1 events: what the engine did and saw, for all objects. The same again counts up. */
import { SetpointError } from "@/lib/errors";
import { decideAccess } from "@/lib/policies/access";
import { API_VERSION, type FieldRequirement } from "@/lib/resource";
import type { EventField, EventQuery, StoredEventRow } from "@/lib/store/catalogue";
import type { Call } from "../call";
import { fieldsOf, flag, one, wholeNumber } from "../query";
import { bad, json } from "../respond";
import { Shaper } from "../shapes";
import { ageCell, column, NAME, type Printer } from "../table";
import { watchEvents } from "./event-stream";

const MOST = 5_000;

export type Event = ReturnType<typeof eventOf>;

const cell = (name: string, description: string, of: Printer<Event>["cell"], priority = 0): Printer<Event> => ({
  column: column(name, description, { priority }),
  cell: of,
});
export const EVENT_PRINTERS: Printer<Event>[] = [
  cell("Last Seen", "How long ago it was last seen.", (event, now) => ageCell(event.lastTimestamp, now)),
  cell("Type", "Normal or Warning.", ({ type }) => type),
  cell("Reason", "What, in one word.", ({ reason }) => reason),
  cell("Object", "What it is about.", ({ involvedObject: { kind, name } }) => `${kind.toLowerCase()}/${name}`),
  cell("Source", "Who says so.", ({ source }) => source.component, 1),
  cell("Message", "What, in a sentence.", ({ message }) => message),
  cell("First Seen", "How long ago it was first seen.", (event, now) => ageCell(event.firstTimestamp, now), 1),
  cell("Count", "How often.", ({ count }) => count, 1),
  { column: { ...NAME, priority: 1 }, cell: ({ metadata }) => metadata.name },
];

export function eventOf({ id, uid, kind, namespace, name, type, reason, message, count, firstAt, lastAt }: StoredEventRow) {
  const number = BigInt(id).toString(16).padStart(16, "0");
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name.slice(0, 230)}.${number}`,
      namespace,
      uid: `00000000-0000-4000-8000-${number.slice(-12)}`,
      resourceVersion: String(Date.parse(lastAt)),
      creationTimestamp: firstAt,
    },
    involvedObject: { apiVersion: API_VERSION, kind, namespace, name, uid },
    reason,
    message,
    type,
    count,
    firstTimestamp: firstAt,
    lastTimestamp: lastAt,
    eventTime: null,
    source: { component: "setpoint" },
    reportingComponent: "setpoint",
    reportingInstance: "",
  };
}

/** Field selectors of events, by the column that they are about. */
const FIELDS: Record<string, EventField> = {
  "involvedObject.name": "name",
  "involvedObject.namespace": "namespace",
  "involvedObject.kind": "kind",
  "involvedObject.uid": "uid",
  "metadata.namespace": "namespace",
  reason: "reason",
  type: "type",
};
/** Selectable too, and the same for all that we have. */
const CONSTANT: Record<string, string> = { "involvedObject.apiVersion": API_VERSION, reportingComponent: "setpoint", source: "setpoint" };

/** What is selected; undefined when nothing can match. */
export function selection(call: Call): EventQuery | undefined {
  const requirements = fieldsOf(call.query, [...Object.keys(FIELDS), ...Object.keys(CONSTANT), "metadata.name"]);
  const fields: EventQuery["fields"] = [];
  for (const requirement of requirements) {
    const { path, operator, value } = requirement;
    const constant = Object.hasOwn(CONSTANT, path) ? CONSTANT[path] : undefined;
    if (constant !== undefined) {
      if ((constant === value) !== (operator === "=")) return undefined;
      continue;
    }
    fields.push(path === "metadata.name" ? idRequirement(requirement) : { path: FIELDS[path] ?? "name", operator, value });
  }
  const { namespace } = call.address;
  return { fields, limit: MOST, ...(namespace === undefined ? {} : { namespace }) };
}

const idRequirement = ({ operator, value }: FieldRequirement) => ({ path: "id" as const, operator, value: idOf(value) ?? "" });

function idOf(name: string): string | undefined {
  const digits = /\.([0-9a-f]{16})$/.exec(name)?.[1];
  return digits === undefined ? undefined : String(BigInt(`0x${digits}`));
}

/** Whether the caller may read the objects that an event is about. */
export function readable(call: Call): (row: StoredEventRow) => boolean {
  const plurals = new Map(call.dependencies.engine.kinds.map(({ name, plural }) => [name, plural]));
  return ({ kind, namespace, name }) =>
    decideAccess(call.principal, "get", { plural: plurals.get(kind) ?? kind.toLowerCase(), namespace, name }).allowed;
}

export async function listEvents(call: Call): Promise<Response> {
  if (flag(call.query, "watch")) return watchEvents(call);
  const shaper = new Shaper(call, EVENT_PRINTERS);
  const query = selection(call);
  const limit = wholeNumber(call.query, "limit", 0, 999_999_999) || MOST;
  const after = one(call.query, "continue");
  if (after !== undefined && !/^\d{1,18}$/.test(after)) throw bad("invalid continue token: it is not one that a list of this server gave");
  const page = { limit: Math.min(limit, MOST), ...(after === undefined ? {} : { afterId: after }) };
  const items = query ? await call.dependencies.catalogue.events({ ...query, ...page }) : [];
  const last = items.at(-1);
  const more = last && items.length === page.limit ? { continue: last.id } : {};
  const shown = items.filter(readable(call)).map(eventOf);
  // The newest that the caller may see: when others did something is not told. A watch from there begins with what came after.
  const newest = Math.max(0, ...shown.map(({ lastTimestamp }) => Date.parse(lastTimestamp)));
  return json(call, shaper.list({ apiVersion: "v1", kind: "EventList" }, { resourceVersion: String(newest), ...more }, shown));
}

export async function getEvent(call: Call): Promise<Response> {
  const shaper = new Shaper(call, EVENT_PRINTERS);
  const { name = "", namespace } = call.address;
  const id = idOf(name);
  const fields: EventQuery["fields"] = [{ path: "id", operator: "=", value: id ?? "" }];
  const items = await call.dependencies.catalogue.events({ ...(namespace === undefined ? {} : { namespace }), fields, limit: 1 });
  const [found] = items.filter(readable(call)).map(eventOf);
  if (found?.metadata.name !== name) throw new SetpointError("NotFound", `events "${name}" not found`);
  return json(call, shaper.one(found));
}
