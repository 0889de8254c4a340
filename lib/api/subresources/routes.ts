/** What hangs below one object. */
import type { Address } from "../call";
import { notHere, type Route } from "../route";
import { SHAPES } from "../shapes";
import { get } from "../verbs/get";
import { getControl, setControl } from "./control";
import { events, passes, revisions } from "./history";
import { plan, planCandidate } from "./plan";
import { reconcile } from "./reconcile";
import { getScale, patchScale, putScale } from "./scale";

const PARTS: Record<string, Pick<Route, "methods" | "refusal">> = {
  plan: { methods: { GET: { verb: "get", run: plan }, POST: { verb: "preview", run: planCandidate } } },
  reconcile: { methods: { POST: { verb: "reconcile", run: reconcile } } },
  control: {
    methods: {
      GET: { verb: "get", run: getControl },
      PUT: { verb: "control", run: setControl, shapes: SHAPES },
      PATCH: { verb: "control", run: setControl, shapes: SHAPES },
    },
  },
  revisions: { methods: { GET: { verb: "get", run: revisions } } },
  events: { methods: { GET: { verb: "get", run: events } } },
  passes: { methods: { GET: { verb: "get", run: passes } } },
  status: { methods: { GET: { verb: "get", run: get, shapes: SHAPES } }, refusal: "status is written by the engine only" },
};

const SCALE: Route["methods"] = {
  GET: { verb: "get", run: getScale },
  PUT: { verb: "update", run: putScale },
  PATCH: { verb: "patch", run: patchScale },
};

export function partRoute(address: Address, subresource: string, path: string): Route {
  if (subresource === "scale" && address.kind?.scale) return { address, methods: SCALE };
  const found = Object.hasOwn(PARTS, subresource) ? PARTS[subresource] : undefined;
  if (!found) throw notHere(path);
  return { address, ...found };
}
