/** An API on a port of its own, for tests whose client is another process. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Api } from "..";

/** Serves on loopback until `close`. */
export async function listen(api: Api): Promise<{ url: string; close(): Promise<void> }> {
  const server = http.createServer((request, response) => {
    void answer(api, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(api: Api, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "GET", url = "/", headers } = request;
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] => (typeof value === "string" ? [[name, value]] : []));
  const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
  const answered = await api.handle(new Request(`http://${headers.host}${url}`, { method, headers: given, body }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body) Readable.from(answered.body).pipe(response);
  else response.end();
}
