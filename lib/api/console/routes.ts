/** Paths under /api/console. */
import type { AnyKind } from "../call";
import { notHere, type Route } from "../route";
import { bulk } from "./bulk";
import { controllers, kindOfWord, pauseKind, resumeKind } from "./controllers";
import { overview } from "./overview";
import { changeUser, createUser, kinds as kindList, listUsers, me, setUp } from "./people";
import { resources } from "./resources";
import { stream } from "./stream";

const PAGES: Record<string, Route["methods"]> = {
  me: { GET: { verb: "get", run: me } },
  kinds: { GET: { verb: "list", run: kindList } },
  resources: { GET: { verb: "list", run: resources } },
  overview: { GET: { verb: "list", run: overview } },
  controllers: { GET: { verb: "list", run: controllers } },
  stream: { GET: { verb: "watch", run: stream } },
  // What may be done to each object is asked again for each.
  bulk: { POST: { verb: "control", run: bulk } },
  users: { GET: { verb: "administer", run: listUsers }, POST: { verb: "administer", run: createUser } },
  setup: { POST: { verb: "public", run: setUp } },
};

export function consoleRoute([page = "", id, action, ...more]: readonly string[], kinds: readonly AnyKind[], path: string): Route {
  const word = page === "bulk" || page === "overview" ? "resources" : page;
  if (id === undefined) {
    const methods = Object.hasOwn(PAGES, page) ? PAGES[page] : undefined;
    if (!methods) throw notHere(path);
    return { address: { resource: word }, methods };
  }
  if (page === "users" && action === undefined)
    return { address: { resource: "users", name: id }, methods: { PATCH: { verb: "administer", run: changeUser } } };
  if (page === "controllers" && action === "pause" && more.length === 0) {
    const kind = kindOfWord(kinds, id);
    return {
      address: { kind, resource: kind.plural },
      methods: { PUT: { verb: "pause", run: pauseKind }, DELETE: { verb: "pause", run: resumeKind } },
    };
  }
  throw notHere(path);
}
