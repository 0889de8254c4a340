/** Every request comes through here: identify, find, authorise, run, answer. Nothing that a client sends ends in a 5xx. */
import { setMaxListeners } from "node:events";
import { asSetpointError, SetpointError } from "@/lib/errors";
import type { Verb } from "@/lib/policies/access";
import { textFault } from "@/lib/policies/admission";
import { chosen } from "./accept";
import { type ApiDependencies, Call } from "./call";
import { failure } from "./failures";
import { Limits } from "./limits";
import type { Action, Method, Route } from "./route";
import { route } from "./routes";
import { includedOf } from "./shapes";
import { Told } from "./told";

const LONGEST_URL = 16_384;
const READING = new Set(["GET", "HEAD"]);
/** Denied requests without a valid credential leave at most so many audit rows a minute: the audit is not to be flooded by strangers. */
const ANONYMOUS_ROWS = 60;
const MINUTE_MS = 60_000;

export interface Api {
  /** Answers one request; never rejects. */
  handle(request: Request): Promise<Response>;
  /** Ends all streams. */
  close(): void;
}

/** The API over its ports. */
export function createApi(dependencies: ApiDependencies): Api {
  const closing = new AbortController();
  // Every open stream listens to it.
  setMaxListeners(0, closing.signal);
  const kept = { closing: closing.signal, limits: new Limits(), told: new Told(dependencies.clock) };
  const strangers = { since: Number.NEGATIVE_INFINITY, rows: 0 };
  return {
    close: () => closing.abort(),
    async handle(request) {
      const call = new Call(request, dependencies, kept);
      try {
        return await serve(call);
      } catch (error) {
        await recordDenial(call, error, strangers);
        return failure(call, error);
      }
    },
  };
}

async function serve(call: Call): Promise<Response> {
  const { request, dependencies } = call;
  if (request.url.length > LONGEST_URL) throw new SetpointError("BadRequest", `the URL must have at most ${LONGEST_URL} characters`);
  const who = await dependencies.auth.authenticate(request.headers);
  if (who.principal) {
    call.identify(who.principal);
    await call.limits.request(who.principal);
  }
  const found = route(segmentsOf(call.url.pathname), dependencies.engine.kinds, call.url.pathname);
  call.address = found.address;
  const action = actionOf(found, request.method);
  if ("response" in action) return who.principal ? action.response(call) : refuseStranger(who.invalid);
  if (action.verb !== "public") {
    if (!who.principal) return refuseStranger(who.invalid);
    requireOwnPage(call);
    if (action.verb !== "identified") call.authoriseRoute(askedOf(action.verb, call.query));
  }
  if (action.shapes !== "any") chosen(call.accepts, action.shapes);
  // Before anything is done: a parameter that only shapes the answer must not be found wrong after a write.
  includedOf(call.query);
  return action.run(call);
}

function refuseStranger(invalid: string | undefined): never {
  throw new SetpointError(
    "Unauthorized",
    invalid === undefined ? "Unauthorized: sign in, or send a bearer token" : `Unauthorized: ${invalid}`,
  );
}

/** A change that is proved by cookie must come from one of our own pages, in a form that no other site's form can send. */
function requireOwnPage(call: Call): void {
  const { request, principal, dependencies } = call;
  if (principal.via !== "session" || READING.has(request.method)) return;
  if (!dependencies.auth.sameOrigin(request.headers))
    throw new SetpointError("Forbidden", "a change by session cookie must come from a page of this site (Origin or Sec-Fetch-Site)");
}

/** A list that goes on is a watch, and asked for as one. */
function askedOf(verb: Verb, query: URLSearchParams): Verb {
  return verb === "list" && ["true", "1"].includes(query.get("watch") ?? "") ? "watch" : verb;
}

function segmentsOf(pathname: string): string[] {
  const encoded = pathname
    .split("/")
    .slice(1)
    .filter((segment, index, all) => segment !== "" || index < all.length - 1);
  let segments: string[];
  try {
    segments = encoded.map(decodeURIComponent);
  } catch (cause) {
    throw new SetpointError("BadRequest", "the path is not valid percent-encoding", { cause });
  }
  // The store has no such text: nothing is called so.
  const fault = textFault(segments.join("/"));
  if (fault !== undefined) throw new SetpointError("NotFound", `there is nothing at this address: the path ${fault}`);
  return segments;
}

type Answer = Action | { response: (call: Call) => Response };

function actionOf(found: Route, method: string): Answer {
  const wanted = method === "HEAD" ? "GET" : method;
  const action = Object.hasOwn(found.methods, wanted) ? found.methods[wanted as Method] : undefined;
  if (action) return action;
  const allow = Object.keys(found.methods).flatMap((allowed) => (allowed === "GET" ? ["GET", "HEAD"] : [allowed]));
  return {
    response(call) {
      const why = found.refusal ? `: ${found.refusal}` : "";
      const response = failure(
        call,
        new SetpointError("MethodNotAllowed", `the server does not allow this method on the requested resource${why}`),
      );
      response.headers.set("allow", allow.join(", "));
      return response;
    },
  };
}

/** A change that was refused for who asked leaves a row too. */
async function recordDenial(call: Call, thrown: unknown, strangers: { since: number; rows: number }): Promise<void> {
  if (!(thrown instanceof SetpointError) || READING.has(call.request.method)) return;
  if (thrown.reason !== "Forbidden" && thrown.reason !== "Unauthorized") return;
  const { history, clock, log } = call.dependencies;
  if (thrown.reason === "Unauthorized") {
    if (clock.monotonic() - strangers.since > MINUTE_MS) Object.assign(strangers, { since: clock.monotonic(), rows: 0 });
    strangers.rows += 1;
    if (strangers.rows > ANONYMOUS_ROWS) return;
  }
  const { kind, resource, namespace, name } = call.address;
  const entry = {
    actor: thrown.reason === "Forbidden" ? nameOf(call) : "anonymous",
    verb: call.request.method.toLowerCase(),
    kind: kind?.name ?? resource,
    namespace: namespace ?? "",
    name: storable(name),
    detail: { path: storable(call.url.pathname), requestId: call.id },
    outcome: "denied",
    error: thrown.message.slice(0, 500),
  } as const;
  try {
    await history.audit(entry);
  } catch (error) {
    log("denied request not audited", { requestId: call.id, error: asSetpointError(error).message });
  }
}

function nameOf(call: Call): string {
  try {
    return call.principal.name;
  } catch {
    // The set-up token is checked without a principal.
    return "anonymous";
  }
}

const storable = (text: string | undefined) => (text ?? "").slice(0, 253).replaceAll("\u0000", "");
