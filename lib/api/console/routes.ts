/** Paths under /api/console. */
import type { AnyKind } from "../call";
import { type Method, notHere, type Route } from "../route";
import {
  createBinding,
  createRole,
  createServiceAccount,
  createToken,
  deleteBinding,
  deleteRole,
  deleteServiceAccount,
  deleteToken,
  listBindings,
  listRoles,
  listServiceAccounts,
  listTokens,
} from "./access";
import { bulk } from "./bulk";
import { controllers, kindOfWord, pauseKind, resumeKind } from "./controllers";
import { overview } from "./overview";
import { changeUser, cluster, createUser, kinds as kindList, listUsers, me, setUp } from "./people";
import { resources } from "./resources";
import { stream } from "./stream";

/** What is for everybody who is known: each shows and does what the access policy allows for each object. */
const open = (methods: Partial<Record<Method, NonNullable<Route["methods"][Method]>["run"]>>): Route["methods"] =>
  Object.fromEntries(Object.entries(methods).map(([method, run]) => [method, { verb: "identified", run }]));

const PAGES: Record<string, Route["methods"]> = {
  me: open({ GET: me }),
  cluster: open({ GET: cluster }),
  kinds: open({ GET: kindList }),
  resources: open({ GET: resources }),
  overview: open({ GET: overview }),
  stream: { GET: { verb: "identified", run: stream, shapes: "any" } },
  bulk: open({ POST: bulk }),
  // Of the whole installation, and so not for who may see some namespaces only.
  controllers: { GET: { verb: "list", run: controllers } },
  users: { GET: { verb: "administer", run: listUsers }, POST: { verb: "administer", run: createUser } },
  setup: { POST: { verb: "public", run: setUp } },
  tokens: open({ GET: listTokens, POST: createToken }),
  serviceaccounts: open({ GET: listServiceAccounts, POST: createServiceAccount }),
  roles: open({ GET: listRoles, POST: createRole }),
  bindings: open({ GET: listBindings, POST: createBinding }),
};

/** One of a page's things, by name or id. */
const THINGS: Record<string, Route["methods"]> = {
  users: { PATCH: { verb: "administer", run: changeUser } },
  tokens: open({ DELETE: deleteToken }),
  roles: open({ DELETE: deleteRole }),
  bindings: open({ DELETE: deleteBinding }),
};

export function consoleRoute([page = "", id, action, ...more]: readonly string[], kinds: readonly AnyKind[], path: string): Route {
  const word = page === "bulk" || page === "overview" ? "resources" : page;
  if (id === undefined) {
    const methods = Object.hasOwn(PAGES, page) ? PAGES[page] : undefined;
    if (!methods) throw notHere(path);
    return { address: { resource: word }, methods };
  }
  const methods = Object.hasOwn(THINGS, page) ? THINGS[page] : undefined;
  if (methods && action === undefined) return { address: { resource: page, name: id }, methods };
  if (page === "serviceaccounts" && action !== undefined && more.length === 0)
    return { address: { resource: page, namespace: id, name: action }, methods: open({ DELETE: deleteServiceAccount }) };
  if (page === "controllers" && action === "pause" && more.length === 0) {
    const kind = kindOfWord(kinds, id);
    return {
      address: { kind, resource: kind.plural },
      methods: { PUT: { verb: "pause", run: pauseKind }, DELETE: { verb: "pause", run: resumeKind } },
    };
  }
  throw notHere(path);
}
