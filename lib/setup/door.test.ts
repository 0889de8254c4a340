import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDoor } from "./door.mjs";

const server = http.createServer(withDoor((_request: http.IncomingMessage, response: http.ServerResponse) => response.end("served")));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

/** As raw as the client likes: fetch would correct the path. */
function ask(method: string, path: string): Promise<{ status: number; body: string }> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = http.request({ port, host: "127.0.0.1", method, path, agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on("error", reject);
    request.end();
  });
}

test.each(["/apis/%E0%A4%A", "/%zz", "/apis/%", "/sign-in/%ff"])("the path %s, which is no percent-encoding, is 400", async (path) => {
  const { status, body } = await ask("GET", path);
  expect([status, JSON.parse(body).reason]).toEqual([400, "BadRequest"]);
});

test.each(["TRACE", "PROPFIND"])("the method %s, which nothing serves, is 405", async (method) => {
  expect((await ask(method, "/apis")).status).toBe(405);
});

test.each(["/apis/%00", "/apis/a%2Fb?x=%zz", "/%E2%82%AC", "/"])("the path %s is served", async (path) => {
  expect((await ask("GET", path)).body).toBe("served");
});
