/** Which groups, versions, kinds and verbs there are: the plain lists, and all in one where a client asks for that. */
import { GROUP, VERSION } from "@/lib/resource";
import { chosen } from "./accept";
import type { AnyKind, Call } from "./call";
import { json } from "./respond";
import { notHere } from "./route";

interface Entry {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  /** Where the kind of a subresource is of another group. */
  group?: string;
  version?: string;
}

interface GroupVersion {
  /** Empty for the core group. */
  group: string;
  version: string;
  resources: Entry[];
}

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

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

function entriesOf({ name, plural, singular, shortNames, scale }: AnyKind): Entry[] {
  const part = (subresource: string) => ({ name: `${plural}/${subresource}`, singularName: "", namespaced: true });
  return [
    {
      name: plural,
      singularName: singular,
      namespaced: true,
      kind: name,
      verbs: VERBS,
      ...(shortNames ? { shortNames } : {}),
      categories: ["all"],
    },
    ...SUBRESOURCES.map(([subresource, verbs]) => ({ ...part(subresource), kind: name, verbs })),
    ...(scale ? [{ ...part("scale"), group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] }] : []),
  ];
}

const review = (kind: string): Entry => ({
  name: `${kind.toLowerCase()}s`,
  singularName: kind.toLowerCase(),
  namespaced: false,
  kind,
  verbs: ["create"],
});

function catalogue(kinds: readonly AnyKind[]): GroupVersion[] {
  const reading = ["get", "list"];
  return [
    {
      group: "",
      version: "v1",
      resources: [
        { name: "events", singularName: "event", namespaced: true, kind: "Event", verbs: [...reading, "watch"], shortNames: ["ev"] },
        { name: "namespaces", singularName: "namespace", namespaced: false, kind: "Namespace", verbs: reading, shortNames: ["ns"] },
      ],
    },
    { group: GROUP, version: VERSION, resources: kinds.flatMap(entriesOf) },
    { group: "authentication.k8s.io", version: "v1", resources: [review("SelfSubjectReview")] },
    {
      group: "authorization.k8s.io",
      version: "v1",
      resources: [review("SelfSubjectAccessReview"), review("SelfSubjectRulesReview")],
    },
  ];
}

const nameOf = ({ group, version }: GroupVersion) => (group === "" ? version : `${group}/${version}`);

function groupOf(served: GroupVersion) {
  const only = { groupVersion: nameOf(served), version: served.version };
  return { name: served.group, versions: [only], preferredVersion: only };
}

const AGGREGATED = ["APIGroupDiscoveryList.apidiscovery.k8s.io/v2", "APIGroupDiscoveryList.apidiscovery.k8s.io/v2beta1"];
export const DISCOVERY_SHAPES = AGGREGATED;

/** The aggregated list, when that is what the client prefers. */
function aggregated(call: Call, groups: readonly GroupVersion[]): Response | undefined {
  const { as, apiVersion, type } = chosen(call.accepts, AGGREGATED);
  if (as === undefined) return undefined;
  const items = groups.map((served) => ({
    metadata: { name: served.group, creationTimestamp: null },
    versions: [{ version: served.version, resources: served.resources.flatMap((entry) => wholeOf(served, entry)), freshness: "Current" }],
  }));
  const body = { kind: "APIGroupDiscoveryList", apiVersion, metadata: {}, items };
  // The type is repeated word for word: that is how a client knows that it got what it asked for.
  return json(call, body, 200, { "content-type": type, vary: "Accept" });
}

function wholeOf(served: GroupVersion, entry: Entry) {
  if (entry.name.includes("/")) return [];
  const subresources = served.resources
    .filter(({ name }) => name.startsWith(`${entry.name}/`))
    .map((part) => ({ subresource: part.name.slice(entry.name.length + 1), responseKind: kindOf(served, part), verbs: part.verbs }));
  return [
    {
      resource: entry.name,
      responseKind: kindOf(served, entry),
      scope: entry.namespaced ? "Namespaced" : "Cluster",
      singularResource: entry.singularName,
      verbs: entry.verbs,
      ...(entry.shortNames ? { shortNames: entry.shortNames } : {}),
      ...(entry.categories ? { categories: entry.categories } : {}),
      ...(subresources.length > 0 ? { subresources } : {}),
    },
  ];
}

const kindOf = (served: GroupVersion, entry: Entry) => ({
  group: entry.group ?? served.group,
  version: entry.version ?? served.version,
  kind: entry.kind,
});

const served = (call: Call) => catalogue(call.dependencies.engine.kinds);

/** GET /api */
export async function coreVersions(call: Call): Promise<Response> {
  const core = served(call).filter(({ group }) => group === "");
  return aggregated(call, core) ?? json(call, { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] });
}

/** GET /apis */
export async function groups(call: Call): Promise<Response> {
  const named = served(call).filter(({ group }) => group !== "");
  return aggregated(call, named) ?? json(call, { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupOf) });
}

/** GET /apis/{group} */
export async function groupInfo(call: Call): Promise<Response> {
  const group = call.url.pathname.split("/")[2];
  const found = served(call).find((candidate) => candidate.group === group);
  if (!found) throw notHere(call.url.pathname);
  return json(call, { kind: "APIGroup", apiVersion: "v1", ...groupOf(found) });
}

/** GET /apis/{group}/{version} and /api/v1 */
export async function resourceList(call: Call): Promise<Response> {
  const [, root, first, second] = call.url.pathname.split("/");
  const groupVersion = root === "api" ? first : `${first}/${second}`;
  const found = served(call).find((candidate) => nameOf(candidate) === groupVersion);
  if (!found) throw notHere(call.url.pathname);
  return json(call, { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: found.resources });
}

/** Groups beside our own, whose discovery is served. */
export const OTHER_GROUPS = ["authentication.k8s.io", "authorization.k8s.io"];
