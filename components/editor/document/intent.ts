import { stringify } from "yaml";
import { API_VERSION, type Json, type JsonObject } from "@/lib/resource";

/** What of a stored object is somebody's intent. The rest (uid, finalizers, status, …) is the server's and never edited. */
export interface StoredIntent {
  metadata: { name: string; namespace: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: JsonObject;
}

/** How the message of a save is stored; it belongs to one revision, so it is not carried into the next. */
const CHANGE_MESSAGE = "setpoint.dev/change-message";

const STYLE = { lineWidth: 0, blockQuote: "literal" } as const;

/** The document of a stored object, without what is the server's. */
export function intentOf(kind: string, stored: StoredIntent): JsonObject {
  const { name, namespace, labels = {}, annotations = {} } = stored.metadata;
  const { [CHANGE_MESSAGE]: _message, ...notes } = annotations;
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name,
      namespace,
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(Object.keys(notes).length > 0 ? { annotations: notes } : {}),
    },
    spec: stored.spec,
  };
}

/** The document a new object starts from. */
export function newIntent(kind: string, example: JsonObject): JsonObject {
  return { apiVersion: API_VERSION, kind, metadata: { name: "", namespace: "default" }, spec: example };
}

export function intentText(intent: Json): string {
  return stringify(intent, STYLE);
}

/** The name and namespace a document gives, as far as it does. */
export function namesOf(value: Json | undefined): { name: string; namespace: string } {
  const metadata = typeof value === "object" && value !== null && !Array.isArray(value) ? value.metadata : undefined;
  const map = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  return {
    name: typeof map.name === "string" ? map.name : "",
    namespace: typeof map.namespace === "string" && map.namespace !== "" ? map.namespace : "default",
  };
}
