/** The REST API as a client of our own would use it: small, typed, and without knowledge of the inside. */
import type {
  ApiList,
  ApiObject,
  ApiStatus,
  ControlPatch,
  EntryList,
  EventEntry,
  PassEntry,
  PlanAnswer,
  RevisionEntry,
} from "@/lib/api/contract";
import type { Control, JsonObject } from "@/lib/resource";
import { until } from "./server";

export const API = "/apis/setpoint.dev/v1alpha1";

/** What a create sends: name, labels and the operator's hand; everything else is `spec`. */
export interface Extras {
  labels?: Record<string, string>;
  control?: Partial<Pick<Control, "mode" | "deletionPolicy" | "adopt">> & { paused?: { reason: string; until?: string } };
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  text: string;
  body: T;
}

/** An answer that was not what the test counted on. */
export class Refused extends Error {
  constructor(
    readonly request: string,
    readonly code: number,
    readonly answer: ApiStatus,
    text: string,
  ) {
    super(`${request}: ${code} ${text.slice(0, 600)}`);
  }
}

export class Client {
  constructor(
    readonly url: string,
    readonly token?: string,
    readonly namespace = "default",
  ) {}

  path(plural: string, name?: string, part?: string): string {
    return [`${API}/namespaces/${this.namespace}/${plural}`, name, part].filter((piece) => piece !== undefined).join("/");
  }

  /** One request, whatever the answer is. `body` is sent as JSON unless it is text. */
  async send<T = unknown>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await fetch(this.url + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(30_000),
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { "content-type": type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  }

  /** One request that must succeed. */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send<T & ApiStatus>(method, path, body);
    if (answer.status >= 300) throw new Refused(`${method} ${path}`, answer.status, answer.body, answer.text);
    return answer.body;
  }

  create(plural: string, name: string, spec: object, { labels, control }: Extras = {}): Promise<ApiObject> {
    return this.ask("POST", this.path(plural), {
      metadata: { name, ...(labels ? { labels } : {}) },
      spec,
      ...(control ? { control } : {}),
    });
  }

  get(plural: string, name: string): Promise<ApiObject> {
    return this.ask("GET", this.path(plural, name));
  }

  list(plural: string, query = ""): Promise<ApiList> {
    return this.ask("GET", this.path(plural) + query);
  }

  replace(plural: string, object: ApiObject): Promise<ApiObject> {
    return this.ask("PUT", this.path(plural, object.metadata.name), object);
  }

  patch(plural: string, name: string, change: object): Promise<ApiObject> {
    return this.ask("PATCH", this.path(plural, name), change);
  }

  control(plural: string, name: string, change: ControlPatch): Promise<ApiObject> {
    return this.ask("PATCH", this.path(plural, name, "control"), change);
  }

  plan(plural: string, name: string): Promise<PlanAnswer> {
    return this.ask("GET", this.path(plural, name, "plan"));
  }

  reconcile(plural: string, name: string): Promise<void> {
    return this.ask("POST", this.path(plural, name, "reconcile"));
  }

  async events(plural: string, name: string): Promise<EventEntry[]> {
    return (await this.ask<EntryList<EventEntry>>("GET", this.path(plural, name, "events"))).items;
  }

  async passes(plural: string, name: string): Promise<PassEntry[]> {
    return (await this.ask<EntryList<PassEntry>>("GET", this.path(plural, name, "passes"))).items;
  }

  async revisions(plural: string, name: string): Promise<RevisionEntry[]> {
    return (await this.ask<EntryList<RevisionEntry>>("GET", this.path(plural, name, "revisions"))).items;
  }

  /** Asks for deletion, and waits until the object has left. */
  async remove(plural: string, name: string, withinMs = 60_000): Promise<void> {
    await this.ask("DELETE", this.path(plural, name));
    await this.untilGone(plural, name, withinMs);
  }

  async untilGone(plural: string, name: string, withinMs = 60_000): Promise<void> {
    const gone = async () => (await this.send("GET", this.path(plural, name))).status === 404;
    await until(gone, withinMs, `${plural}/${name} did not leave`);
  }

  /** Waits until the object is as `holds` says, and gives it back. The error shows how it was instead. */
  async waitFor(plural: string, name: string, what: string, holds: (object: ApiObject) => boolean, withinMs = 60_000): Promise<ApiObject> {
    let seen = await this.get(plural, name);
    try {
      await until(
        async () => {
          seen = await this.get(plural, name);
          return holds(seen);
        },
        withinMs,
        `${plural}/${name} did not become ${what}`,
      );
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}; it is ${JSON.stringify({ ...seen, spec: undefined }, null, 1)}`);
    }
    return seen;
  }

  /** Waits until the newest intent is what is. */
  converged(plural: string, name: string, withinMs = 60_000): Promise<ApiObject> {
    return this.waitFor(plural, name, "converged", isConverged, withinMs);
  }

  state(plural: string, name: string, state: ApiObject["view"]["state"], withinMs = 60_000): Promise<ApiObject> {
    return this.waitFor(plural, name, state, ({ view }) => view.state === state, withinMs);
  }
}

export function isConverged({ view, status, metadata, freshness }: ApiObject): boolean {
  return view.state === "Converged" && status?.observedGeneration === metadata.generation && !freshness.stale;
}

/** A part of the kind's own summary, which has a shape of its own per kind. */
export function observed({ status }: ApiObject): JsonObject {
  const { observed: summary } = status ?? {};
  return typeof summary === "object" && summary !== null && !Array.isArray(summary) ? summary : {};
}
