/** The informers of @kubernetes/client-node, against the real listener: what they hold is what is stored, whatever happens to the stream. */
import * as k8s from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import { startServer, type TestServer, TOKEN } from "./testing/server";
import { startTcpProxy, type TcpProxy } from "./testing/tcp-proxy";

const PATH = "/apis/setpoint.dev/v1alpha1/namespaces/default/configfiles";

let server: TestServer;
let proxy: TcpProxy;
let config: k8s.KubeConfig;
let objects: k8s.KubernetesObjectApi;
beforeAll(async () => {
  server = await startServer();
  proxy = await startTcpProxy(server.listener.port);
  config = new k8s.KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "c", server: `https://127.0.0.1:${proxy.port}`, caData: Buffer.from(server.ca).toString("base64") }],
    users: [{ name: "u", token: TOKEN }],
    contexts: [{ name: "x", cluster: "c", user: "u", namespace: "default" }],
    currentContext: "x",
  });
  objects = k8s.KubernetesObjectApi.makeApiClient(config);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

const file = (name: string, content: string) => ({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "ConfigFile",
  metadata: { name, namespace: "default" },
  spec: { path: `${name}.txt`, content },
});

interface Seen extends k8s.KubernetesObject {
  spec?: { content?: string };
}

it("informers come back from a cut stream and from 410, and miss nothing", { timeout: 150_000 }, async () => {
  await objects.create(file("one", "1"));
  const informer = k8s.makeInformer<Seen>(config, PATH, () =>
    objects.list<Seen>("setpoint.dev/v1alpha1", "ConfigFile", "default").then((list) => list as k8s.KubernetesListObject<Seen>),
  );
  const happened: string[] = [];
  for (const verb of ["add", "update", "delete"] as const)
    informer.on(verb, ({ metadata, spec }) => happened.push(`${verb} ${metadata?.name} ${spec?.content}`));
  let errors = 0;
  informer.on("error", () => {
    errors += 1;
    // As its own documentation says: after a broken connection the user starts it again.
    void informer.start();
  });
  await informer.start();
  await eventually("the list is seen", () => happened.includes("add one 1"), 40_000);

  await objects.create(file("two", "2"));
  await eventually("a new object is seen", () => happened.includes("add two 2"), 40_000);
  // Changes while the connection is away.
  proxy.cut();
  proxy.refuse(true);
  const direct = (method: string, path: string, body?: unknown) =>
    server.api.handle(
      new Request(`https://localhost${path}`, {
        method,
        headers: {
          authorization: `Bearer ${TOKEN}`,
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  expect((await direct("PATCH", `${PATH}/one`, { spec: { content: "1b" } })).status).toBe(200);
  proxy.refuse(false);
  await eventually("what happened meanwhile is seen", () => happened.some((each) => each === "update one 1b"), 40_000);
  expect(errors).toBeGreaterThan(0);

  // Changes that have left the feed while the connection is away: 410, and it lists again by itself.
  proxy.refuse(true);
  proxy.cut();
  expect((await direct("DELETE", `${PATH}/two`)).status).toBe(200);
  await eventually("the object is gone", async () => (await direct("GET", `${PATH}/two`)).status === 404, 40_000);
  expect((await direct("POST", PATH, file("three", "3"))).status).toBe(201);
  await server.store.pool.query("delete from change where resource_version < (select max(resource_version) from change)");
  proxy.refuse(false);
  await eventually("the lost deletion is seen", () => happened.some((each) => each.startsWith("delete two")), 40_000);
  await eventually("the lost creation is seen", () => happened.includes("add three 3"), 40_000);
  await informer.stop();
});

it("objects are created, read, replaced, patched and deleted, and errors are Status bodies", { timeout: 150_000 }, async () => {
  await objects.create(file("crud", "a"));
  const read = await objects.read<Seen>(file("crud", "a") as k8s.KubernetesObject & { metadata: { name: string; namespace: string } });
  expect(read.spec?.content).toBe("a");
  const change = { ...file("crud", "b"), spec: { content: "b" } };
  const patched = await objects.patch<Seen>(change as Seen, undefined, undefined, undefined, undefined, k8s.PatchStrategy.MergePatch);
  expect(patched.spec?.content).toBe("b");
  await expect(objects.patch(change as Seen)).rejects.toMatchObject({ code: 415 });
  await expect(objects.create(file("crud", "c"))).rejects.toMatchObject({ code: 409, body: expect.stringContaining("AlreadyExists") });
  await objects.delete(file("crud", "a"));
  const gone = () =>
    objects.read(file("crud", "a")).then(
      () => false,
      (error: unknown) => error instanceof k8s.ApiException && error.code === 404,
    );
  await eventually("it is gone", gone, 40_000);
  expect(server.logged).toEqual([]);
});
