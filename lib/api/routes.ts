/** From a path to what may be done there. */
import { SetpointError } from "@/lib/errors";
import { GROUP, namespaceFault, VERSION } from "@/lib/resource";
import type { Address, AnyKind } from "./call";
import { consoleRoute } from "./console/routes";
import { coreRoute } from "./core/routes";
import { DISCOVERY_SHAPES, groupInfo, groups, OTHER_GROUPS, resourceList } from "./discovery";
import { healthRoute } from "./health";
import { metrics } from "./metrics";
import { openApiRoute } from "./openapi";
import { reviewRoute } from "./reviews/routes";
import { type Action, notHere, type Route } from "./route";
import { SHAPES } from "./shapes";
import { partRoute } from "./subresources/routes";
import { create } from "./verbs/create";
import { remove } from "./verbs/delete";
import { removeAll } from "./verbs/delete-collection";
import { get } from "./verbs/get";
import { list } from "./verbs/list";
import { patch } from "./verbs/patch";
import { update } from "./verbs/update";
import { watch } from "./verbs/watch";

const discovery = (run: Action["run"], shapes?: Action["shapes"]): Route => ({
  address: { resource: "apis" },
  methods: { GET: { verb: "identified", run, ...(shapes ? { shapes } : {}) } },
});

/** The route of a path, given as decoded segments. Throws NotFound, or BadRequest for a namespace that cannot be one. */
export function route(segments: readonly string[], kinds: readonly AnyKind[], path: string): Route {
  const [head, ...rest] = segments;
  if (head === "api" && rest[0] === "console") return consoleRoute(rest.slice(1), kinds, path);
  if (head === "api") return coreRoute(rest, path);
  if (head === "openapi") return openApiRoute(rest, path);
  const health = healthRoute(segments);
  if (health) return health;
  // Of the whole installation, for who may see its Controllers page.
  if (head === "metrics" && rest.length === 0)
    return { address: { resource: "controllers" }, methods: { GET: { verb: "list", run: metrics } } };
  if (head !== "apis") throw notHere(path);
  return apisRoute(rest, kinds, path);
}

function apisRoute([group, version, ...rest]: readonly string[], kinds: readonly AnyKind[], path: string): Route {
  if (group === undefined || (group === "" && version === undefined)) return discovery(groups, DISCOVERY_SHAPES);
  const other = OTHER_GROUPS.includes(group);
  if (group !== GROUP && !other) throw notHere(path);
  if (version === undefined) return discovery(groupInfo);
  if (version !== (other ? "v1" : VERSION)) throw notHere(path);
  if (rest.length === 0) return discovery(resourceList);
  if (other) return reviewRoute(group, rest, path);
  // The older way of asking for a watch.
  if (rest[0] === "watch") return watched(kindRoute(rest.slice(1), kinds, path), path);
  return kindRoute(rest, kinds, path);
}

/** What lies below our group and version. */
export function kindRoute(segments: readonly string[], kinds: readonly AnyKind[], path: string): Route {
  const [first = "", namespace, plural, name, subresource, ...more] = segments;
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
  return subresource === undefined ? object({ ...address, name }) : partRoute({ ...address, name }, subresource, path);
}

function kindOf(kinds: readonly AnyKind[], plural: string, path: string): AnyKind {
  const kind = kinds.find((candidate) => candidate.plural === plural);
  if (kind) return kind;
  throw new SetpointError("NotFound", `the server could not find the requested resource: no kind has the plural at ${path.slice(0, 200)}`);
}

function watched({ address, methods }: Route, path: string): Route {
  if (!methods.GET || methods.GET.verb === "get") throw notHere(path);
  return { address, methods: { GET: { verb: "watch", run: watch, shapes: SHAPES } } };
}

function collection(address: Address): Route {
  const reading: Route["methods"] = { GET: { verb: "list", run: list, shapes: SHAPES } };
  if (address.namespace === undefined) return { address, methods: reading, refusal: "objects are created and deleted in a namespace" };
  return {
    address,
    methods: {
      ...reading,
      POST: { verb: "create", run: create, shapes: SHAPES },
      DELETE: { verb: "deletecollection", run: removeAll, shapes: SHAPES },
    },
  };
}

function object(address: Address): Route {
  return {
    address,
    methods: {
      GET: { verb: "get", run: get, shapes: SHAPES },
      PUT: { verb: "update", run: update, shapes: SHAPES },
      PATCH: { verb: "patch", run: patch, shapes: SHAPES },
      DELETE: { verb: "delete", run: remove, shapes: SHAPES },
    },
  };
}
