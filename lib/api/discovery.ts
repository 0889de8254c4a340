/** Which groups, versions and kinds there are. */
import { API_VERSION, GROUP, VERSION } from "@/lib/resource";
import type { AnyKind, Call } from "./call";
import { json } from "./respond";

const groupVersion = { groupVersion: API_VERSION, version: VERSION };
const group = { name: GROUP, versions: [groupVersion], preferredVersion: groupVersion };

/** GET /apis */
export async function groups(call: Call): Promise<Response> {
  return json(call, { kind: "APIGroupList", apiVersion: "v1", groups: [group] });
}

/** GET /apis/setpoint.dev */
export async function groupInfo(call: Call): Promise<Response> {
  return json(call, { kind: "APIGroup", apiVersion: "v1", ...group });
}

/** GET /apis/setpoint.dev/v1alpha1 */
export async function resourceList(call: Call): Promise<Response> {
  const resources = call.dependencies.engine.kinds.flatMap(entriesOf);
  return json(call, { kind: "APIResourceList", apiVersion: "v1", groupVersion: API_VERSION, resources });
}

/** Subresources and what may be done with them. */
const SUBRESOURCES: [string, string[]][] = [
  ["control", ["get", "patch", "update"]],
  ["events", ["get"]],
  ["passes", ["get"]],
  ["plan", ["create", "get"]],
  ["reconcile", ["create"]],
  ["revisions", ["get"]],
  ["status", ["get"]],
];

function entriesOf({ name, plural, singular, shortNames }: AnyKind) {
  const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
  const whole = {
    name: plural,
    singularName: singular,
    namespaced: true,
    kind: name,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    categories: ["all"],
  };
  return [
    whole,
    ...SUBRESOURCES.map(([subresource, allowed]) => ({
      name: `${plural}/${subresource}`,
      singularName: "",
      namespaced: true,
      kind: name,
      verbs: allowed,
    })),
  ];
}
