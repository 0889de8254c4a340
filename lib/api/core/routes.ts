/** The core group, as far as clients look for it: namespaces and events, to be read. */
import { SetpointError } from "@/lib/errors";
import { namespaceFault } from "@/lib/resource";
import { coreVersions, DISCOVERY_SHAPES, resourceList } from "../discovery";
import { type Action, notHere, type Route } from "../route";
import { SHAPES } from "../shapes";
import { getEvent, listEvents } from "./events";
import { getNamespace, listNamespaces } from "./namespaces";

const IMPLIED = "a namespace exists with the first object in it: create an object there; it is gone with the last one";
const WRITTEN = "events are written by the engine only";

/** For everybody who is known: they show only what the access policy allows for each object. */
const reading = (run: Action["run"]): Route["methods"] => ({ GET: { verb: "identified", run, shapes: SHAPES } });

export function coreRoute([version, plural, namespace, below, name, ...more]: readonly string[], path: string): Route {
  const discovery = { address: { resource: "apis" } };
  if (version === undefined || version === "")
    return { ...discovery, methods: { GET: { verb: "identified", run: coreVersions, shapes: DISCOVERY_SHAPES } } };
  if (version !== "v1") throw notHere(path);
  if (plural === undefined) return { ...discovery, methods: { GET: { verb: "identified", run: resourceList } } };
  if (plural === "events" && namespace === undefined)
    return { address: { resource: "events" }, methods: reading(listEvents), refusal: WRITTEN };
  if (plural !== "namespaces" || more.length > 0) throw notHere(path);
  if (namespace === undefined) return { address: { resource: "namespaces" }, methods: reading(listNamespaces), refusal: IMPLIED };
  const fault = namespaceFault(namespace);
  if (fault !== undefined) throw new SetpointError("BadRequest", `the namespace ${JSON.stringify(namespace.slice(0, 80))} ${fault}`);
  if (below === undefined)
    return { address: { resource: "namespaces", name: namespace }, methods: reading(getNamespace), refusal: IMPLIED };
  if (below !== "events") throw notHere(path);
  const address = { resource: "events", namespace };
  if (name === undefined) return { address, methods: reading(listEvents), refusal: WRITTEN };
  return { address: { ...address, name }, methods: reading(getEvent), refusal: WRITTEN };
}
