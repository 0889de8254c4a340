/** From a path to what may be done there. */
import { SetpointError } from "@/lib/errors";
import { GROUP, namespaceFault, VERSION } from "@/lib/resource";
import type { Address, AnyKind } from "./call";
import { consoleRoute } from "./console/routes";
import { groupInfo, groups, resourceList } from "./discovery";
import { type Action, notHere, type Route } from "./route";
import { getControl, setControl } from "./subresources/control";
import { events, passes, revisions } from "./subresources/history";
import { plan, planCandidate } from "./subresources/plan";
import { reconcile } from "./subresources/reconcile";
import { create } from "./verbs/create";
import { remove } from "./verbs/delete";
import { get } from "./verbs/get";
import { list } from "./verbs/list";
import { patch } from "./verbs/patch";
import { update } from "./verbs/update";

const discovery = (run: Action["run"]): Route => ({ address: { resource: "apis" }, methods: { GET: { verb: "identified", run } } });

/** The route of a path, given as decoded segments. Throws NotFound, or BadRequest for a namespace that cannot be one. */
export function route(segments: readonly string[], kinds: readonly AnyKind[], path: string): Route {
  const [head, ...rest] = segments;
  if (head === "api" && rest[0] === "console") return consoleRoute(rest.slice(1), kinds, path);
  if (head !== "apis") throw notHere(path);
  return apisRoute(rest, kinds, path);
}

function apisRoute([group, version, ...rest]: readonly string[], kinds: readonly AnyKind[], path: string): Route {
  if (group === undefined) return discovery(groups);
  if (group !== GROUP) throw notHere(path);
  if (version === undefined) return discovery(groupInfo);
  if (version !== VERSION) throw notHere(path);
  const [first, namespace, plural, name, subresource, ...more] = rest;
  if (first === undefined) return discovery(resourceList);
  if (first !== "namespaces") {
    const kind = kindOf(kinds, first, path);
    if (namespace !== undefined) throw notHere(path);
    return collection({ kind, resource: kind.plural });
  }
  if (namespace === undefined || plural === undefined || more.length > 0) throw notHere(path);
  const kind = kindOf(kinds, plural, path);
  const fault = namespaceFault(namespace);
  if (fault !== undefined) throw new SetpointError("BadRequest", `the namespace ${JSON.stringify(namespace.slice(0, 80))} ${fault}`);
  const address = { kind, resource: kind.plural, namespace };
  if (name === undefined) return collection(address);
  return subresource === undefined ? object({ ...address, name }) : part({ ...address, name }, subresource, path);
}

function kindOf(kinds: readonly AnyKind[], plural: string, path: string): AnyKind {
  const kind = kinds.find((candidate) => candidate.plural === plural);
  if (kind) return kind;
  throw new SetpointError("NotFound", `the server could not find the requested resource: no kind has the plural at ${path.slice(0, 200)}`);
}

function collection(address: Address): Route {
  const reading: Route["methods"] = { GET: { verb: "list", run: list } };
  if (address.namespace === undefined) return { address, methods: reading, refusal: "objects are created in a namespace" };
  return { address, methods: { ...reading, POST: { verb: "create", run: create } }, refusal: "objects are deleted one by one" };
}

function object(address: Address): Route {
  return {
    address,
    methods: {
      GET: { verb: "get", run: get },
      PUT: { verb: "update", run: update },
      PATCH: { verb: "patch", run: patch },
      DELETE: { verb: "delete", run: remove },
    },
  };
}

const PARTS: Record<string, Pick<Route, "methods" | "refusal">> = {
  plan: { methods: { GET: { verb: "get", run: plan }, POST: { verb: "preview", run: planCandidate } } },
  reconcile: { methods: { POST: { verb: "reconcile", run: reconcile } } },
  control: {
    methods: {
      GET: { verb: "get", run: getControl },
      PUT: { verb: "control", run: setControl },
      PATCH: { verb: "control", run: setControl },
    },
  },
  revisions: { methods: { GET: { verb: "get", run: revisions } } },
  events: { methods: { GET: { verb: "get", run: events } } },
  passes: { methods: { GET: { verb: "get", run: passes } } },
  status: { methods: { GET: { verb: "get", run: get } }, refusal: "status is written by the engine only" },
};

function part(address: Address, subresource: string, path: string): Route {
  const found = Object.hasOwn(PARTS, subresource) ? PARTS[subresource] : undefined;
  if (!found) throw notHere(path);
  return { address, ...found };
}
