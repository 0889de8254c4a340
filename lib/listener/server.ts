/** node:https in front of the API: requests and answers as they are, streams unbuffered, a client that reads slowly holds back its own only. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { Api } from "@/lib/api";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const BODILESS = new Set(["GET", "HEAD"]);
const LIMITS = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20_000,
  /** For the whole request to come in; answers and streams may take as long as they do. */
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
};
const MOST_CONNECTIONS = 10_000;

export interface Listener {
  port: number;
  /** New connections get this certificate. */
  use(tls: Tls): void;
  /** Stops listening at once; resolves when the last answer is out, or its connection cut after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/** PEM texts. */
export interface Tls {
  certificate: string;
  key: string;
}

export interface ListenerOptions {
  api: Pick<Api, "handle">;
  /** 0: any free port. */
  port: number;
  host: string;
  tls: Tls;
  after(ms: number, callback: () => void): () => void;
  log(message: string): void;
}

/** Listens. Rejects when the port is taken or the certificate cannot be used. */
export async function listen({ api, port, host, tls, after, log }: ListenerOptions): Promise<Listener> {
  const server = https.createServer({ key: tls.key, cert: tls.certificate, minVersion: "TLSv1.2", ...LIMITS }, (request, response) => {
    serve(api, request, response).catch((error: unknown) => {
      log(`api listener: ${error instanceof Error ? error.message : String(error)}`);
      response.destroy();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.maxHeadersCount = 200;
  server.listen(port, host);
  await once(server, "listening");
  server.on("error", (error) => log(`api listener: ${error.message}`));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    use: ({ key, certificate }) => server.setSecureContext({ key, cert: certificate, minVersion: "TLSv1.2" }),
    async close(graceMs = 3_000) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cancel = after(graceMs, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}

async function serve(api: Pick<Api, "handle">, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", url = "/" } = request;
  if (!METHODS.has(method)) return refuse(response, 405, "MethodNotAllowed", "the server does not allow this method");
  if (!url.startsWith("/")) return refuse(response, 400, "BadRequest", "the target of the request must be a path");
  const left = new AbortController();
  const asked = requestOf(request, method, url, left.signal);
  response.once("close", () => {
    // Named here, the request lives as long as its answer: the signal of one that was collected tells nobody.
    if (!response.writableFinished && !asked.signal.aborted) left.abort();
  });
  const answer = await api.handle(asked);
  await send(answer, request, response);
}

function requestOf(request: IncomingMessage, method: string, url: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2)
    headers.append(request.rawHeaders[at] ?? "", request.rawHeaders[at + 1] ?? "");
  // Where it came in has been decided by the connection; nothing depends on what the client calls this server.
  const target = `https://localhost${url}`;
  if (BODILESS.has(method)) {
    request.resume();
    return new Request(target, { method, headers, signal });
  }
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, body: bodyOf(request), duplex: "half" };
  return new Request(target, init);
}

/** Read as fast as it is asked for. */
function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  // A body that is not read to its end must not take the answer with it.
  const chunks = request.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

async function send(answer: Response, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(answer.headers);
  // What is left of a refused body is not worth reading: the connection ends with the answer.
  const cut = request.complete ? {} : { connection: "close" };
  const streams = answer.headers.get("x-accel-buffering") === "no";
  if (!streams || !answer.body) {
    const body = Buffer.from(await answer.arrayBuffer());
    const length = request.method === "HEAD" || answer.status === 304 ? {} : { "content-length": body.byteLength };
    response.writeHead(answer.status, { ...headers, ...cut, ...length });
    response.end(body);
    return;
  }
  response.writeHead(answer.status, headers);
  response.flushHeaders();
  const reader = answer.body.getReader();
  response.once("close", () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.byteLength > 0 && !response.write(value)) await drained(response);
    if (response.destroyed) return;
  }
  response.end();
}

/** Until the client has read enough, or has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}

function refuse(response: ServerResponse, code: number, reason: string, message: string): void {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  response.writeHead(code, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify(status));
}
