import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "@/lib/clock";
import { eventually } from "@/lib/conformance/store";
import { ownCertificate } from "./certificates";
import { hostsOf } from "./hosts";
import { listen } from "./server";

const DAY_MS = 86_400_000;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-certificates-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("certificates", () => {
  it("are made once, with keys that nobody else reads", async () => {
    const first = await ownCertificate(folder, ["localhost", "127.0.0.1", "::1", "Some-Host"], systemClock.now());
    const again = await ownCertificate(folder, ["::1", "some-host", "localhost", "127.0.0.1"], systemClock.now());
    expect(again).toEqual(first);
    for (const name of ["ca.key", "server.key"]) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
    expect(await readFile(path.join(folder, "ca.crt"), "utf8")).toBe(first.authority);
  });

  it("are renewed for other hosts and before they end, under the same authority", async () => {
    const first = await ownCertificate(folder, ["localhost"], systemClock.now());
    const moved = await ownCertificate(folder, ["localhost", "other.example.org"], systemClock.now());
    const late = await ownCertificate(folder, ["localhost", "other.example.org"], systemClock.now() + 340 * DAY_MS);
    expect(new Set([first.certificate, moved.certificate, late.certificate]).size).toBe(3);
    expect([moved.authority, late.authority]).toEqual([first.authority, first.authority]);
  });

  it("name the machine and what is listened on", () => {
    expect(hostsOf("127.0.0.1", "here", "https://setpoint.example.org/x")).toEqual([
      "localhost",
      "127.0.0.1",
      "::1",
      "here",
      "setpoint.example.org",
    ]);
    expect(hostsOf("10.1.2.3", "under_score")).toEqual(["localhost", "127.0.0.1", "::1", "10.1.2.3"]);
  });
});

describe("the listener", () => {
  it("streams unbuffered, holds back with a slow client, tells of one that left, and cuts what is left at its end", async () => {
    const tls = await ownCertificate(folder, ["localhost"], systemClock.now());
    let sent = 0;
    let left = false;
    const api = {
      async handle(request: Request) {
        request.signal.addEventListener("abort", () => {
          left = true;
        });
        if (request.url.endsWith("/echo")) return new Response(await request.text(), { status: 201 });
        const body = new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              sent += 1;
              controller.enqueue(new Uint8Array(256 * 1024));
            },
          },
          { highWaterMark: 1 },
        );
        return new Response(body, { headers: { "x-accel-buffering": "no" } });
      },
    };
    const after = systemClock.after.bind(systemClock);
    const listener = await listen({ api, port: 0, host: "127.0.0.1", tls, after, log: () => undefined });
    const options = { host: "localhost", port: listener.port, ca: tls.authority };
    const send = (more: https.RequestOptions, body = "") =>
      new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
        https
          .request({ ...options, ...more, agent: false }, resolve)
          .on("error", reject)
          .end(body);
      });
    const echo = await send({ path: "/echo", method: "POST" }, "hello");
    expect([echo.statusCode, (await echo.toArray()).join("")]).toEqual([201, "hello"]);
    expect((await send({ method: "TRACE" })).statusCode).toBe(405);
    // Headers and the first bytes come at once; a client that stops reading stops the source.
    const stream = await send({ path: "/stream" });
    stream.pause();
    let before = -1;
    await eventually("the source waits for the client", async () => {
      const waits = before === sent;
      before = sent;
      await systemClock.sleep(50);
      return waits && sent === before;
    });
    expect(left).toBe(false);
    stream.destroy();
    await eventually("the handler knows that the client left", () => left);
    const second = await send({ path: "/stream" });
    second.on("error", () => undefined).pause();
    await listener.close(50);
    await expect(send({ path: "/echo" })).rejects.toThrow();
    second.destroy();
  });
});
