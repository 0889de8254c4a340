import { ApiError, errorFrom } from "./error";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RequestOptions {
  method?: Method;
  body?: unknown;
  signal?: AbortSignal;
  /** Default `application/json`; PATCH sends a merge patch. */
  contentType?: string;
}

/** Sends JSON to our own origin and returns the answer's JSON. Throws an ApiError for everything that is not a success. */
export async function request<Answer>(path: string, { method = "GET", body, signal, contentType }: RequestOptions = {}): Promise<Answer> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined)
    headers["content-type"] = contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
  const response = await send(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    credentials: "same-origin",
    cache: "no-store",
  });
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const text = await response.text();
  const parsed = parse(text);
  if (!response.ok) throw errorFrom(response.status, parsed, requestId);
  if (parsed === undefined && text !== "") {
    throw new ApiError({ status: response.status, reason: "InternalError", message: "The server's answer is not JSON.", requestId });
  }
  // The shape is the contract's; both sides are built and shipped together.
  return parsed as Answer;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    throw new ApiError({ status: 0, reason: "Unreachable", message: "Setpoint cannot be reached." });
  }
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}
