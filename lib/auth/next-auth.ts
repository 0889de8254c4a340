/**
 * next-auth behind web-standard Request and Response. Its own adapters take their origin and secret from the environment and need
 * Next's request scope; this one is given both, so that it works behind any host name and in tests.
 */
import type { NextApiRequest, NextApiResponse } from "next";
import NextAuth, { type AuthOptions } from "next-auth";
import { SetpointError } from "@/lib/errors";
import { cookiesOf } from "./origin";

/** Actions of next-auth that are served. `_log` is left out: anybody could write to our log through it. */
const ACTIONS = new Set(["csrf", "providers", "session", "signin", "signout", "callback", "error"]);
const LARGEST_BODY = 16 * 1024;

interface Captured {
  status: number;
  headers: Headers;
  body: string;
}

/** Runs one request through next-auth. `origin` is ours as people see it. */
export async function nextAuthResponse(request: Request, options: AuthOptions, origin: string): Promise<Response> {
  const url = new URL(request.url);
  const nextauth = url.pathname.replace(/^.*\/api\/auth\/?/, "").split("/");
  if (!ACTIONS.has(nextauth[0] ?? "") || (request.method !== "GET" && request.method !== "POST"))
    throw new SetpointError("NotFound", "there is nothing at this address");
  const body = request.method === "POST" ? await readBody(request) : undefined;
  const query = Object.fromEntries(url.searchParams);
  // Only paths of this site: next-auth answers a malformed one with an error of its configuration.
  if (query.callbackUrl !== undefined) query.callbackUrl = localPath(query.callbackUrl);
  if (body?.callbackUrl !== undefined) body.callbackUrl = localPath(body.callbackUrl);
  const cookies = Object.fromEntries(
    Object.entries(cookiesOf(request.headers.get("cookie"))).filter(([name]) => !name.endsWith("next-auth.callback-url")),
  );
  const { captured, response } = capture();
  const incoming = { query: { ...query, nextauth }, body, cookies, headers: Object.fromEntries(request.headers), method: request.method };
  // next-auth uses of both exactly what is given here; the types are those of Next's older routes.
  await handlerOf(NextAuth)(incoming as unknown as NextApiRequest, response as unknown as NextApiResponse, options);
  return toResponse(captured, origin);
}

type Handler = (request: NextApiRequest, response: NextApiResponse, options: AuthOptions) => Promise<unknown>;

/** A CommonJS module: bundlers unwrap its default export, Node does not. */
function handlerOf(imported: unknown): Handler {
  if (typeof imported === "function") return imported as Handler;
  if (typeof imported === "object" && imported !== null && "default" in imported) return handlerOf(imported.default);
  throw new SetpointError("InternalError", "next-auth exports no handler");
}

async function readBody(request: Request): Promise<Record<string, string>> {
  const text = await request.text();
  if (text.length > LARGEST_BODY) throw new SetpointError("RequestEntityTooLarge", `the body must have at most ${LARGEST_BODY} bytes`);
  const type = request.headers.get("content-type") ?? "";
  if (type.includes("application/x-www-form-urlencoded")) return Object.fromEntries(new URLSearchParams(text));
  if (text === "") return {};
  if (!type.includes("application/json")) throw new SetpointError("UnsupportedMediaType", "the body must be a form or JSON");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new SetpointError("BadRequest", "the body is not valid JSON", { cause });
  }
  if (typeof parsed !== "object" || parsed === null) throw new SetpointError("BadRequest", "the body must be a JSON object");
  return Object.fromEntries(Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Path and query of a URL, as a path on this site. */
export function localPath(url: string): string {
  const base = "http://localhost";
  if (!URL.canParse(url, base)) return "/";
  const { pathname, search, hash } = new URL(url, base);
  return pathname.startsWith("//") ? "/" : `${pathname}${search}${hash}`;
}

/** What next-auth calls of a response, kept. */
function capture() {
  const captured: Captured = { status: 200, headers: new Headers(), body: "" };
  const response = {
    status(code: number) {
      captured.status = code;
      return response;
    },
    getHeader: () => captured.headers.getSetCookie(),
    setHeader(name: string, value: string | string[]) {
      captured.headers.delete(name);
      for (const one of Array.isArray(value) ? value : [value]) captured.headers.append(name, one);
      return response;
    },
    json(value: unknown) {
      captured.headers.set("content-type", "application/json");
      captured.body = JSON.stringify(value);
    },
    send(value: unknown) {
      if (typeof value === "string" || value === undefined || value === null) captured.body = value ?? "";
      else response.json(value);
    },
    end() {
      return response;
    },
  };
  return { captured, response };
}

/** Every redirect stays on this site, whatever origin next-auth believes it has. */
function toResponse({ status, headers, body }: Captured, origin: string): Response {
  const location = headers.get("location");
  if (location !== null) headers.set("location", `${origin}${localPath(location)}`);
  headers.set("cache-control", "no-cache, private");
  return new Response(here(body, headers, origin), { status, headers });
}

function here(body: string, headers: Headers, origin: string): string {
  if (!headers.get("content-type")?.includes("application/json") || !body.includes('"url"')) return body;
  const parsed: unknown = JSON.parse(body);
  if (typeof parsed !== "object" || parsed === null || !("url" in parsed) || typeof parsed.url !== "string") return body;
  return JSON.stringify({ ...parsed, url: `${origin}${localPath(parsed.url)}` });
}
