/** `kubectl apply --server-side` and `kubectl diff`, by every kubectl on this machine, against the real listener, API, engine and kinds. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import type { Kubectl } from "@/lib/setup/kubectl.mjs";
import { between, configFile, type Kubectls, nameFor, oldest, openKubectls, whole } from "./testing/kubectl";
import { startServer, type TestServer } from "./testing/server";

let server: TestServer;
let clients: Kubectls;
beforeAll(async () => {
  server = await startServer();
  clients = await openKubectls(server);
});
afterAll(async () => {
  await clients.close();
  await server.close();
});

const PATH = "/apis/setpoint.dev/v1alpha1/namespaces/default/configfiles";
/** Out of the list: who reads the object itself is told the same again in a dry-run. */
const objectNamed = async (name: string) => (await server.ask("GET", `${PATH}?fieldSelector=metadata.name=${name}`)).items[0];

/** An object is written while it comes to rest: what is compared is compared at rest. */
const atRest = (name: string) =>
  eventually(
    "it is at rest",
    async () => {
      const { status, metadata } = await objectNamed(name);
      return status?.state === "Converged" && status.observedGeneration === metadata.generation;
    },
    30_000,
  );

/** Has the object looked at once more before the next dry-run comes in. */
function lookedAtBeforeDryRuns(name: string): { looks: () => number; stop: () => void } {
  let looks = 0;
  server.between.before = async (request) => {
    if (!request.url.includes("dryRun=All")) return;
    const { freshness } = await objectNamed(name);
    await server.ask("POST", `${PATH}/${name}/reconcile`);
    await eventually("it is looked at again", async () => (await objectNamed(name)).freshness.observedAt !== freshness.observedAt, 30_000);
    looks += 1;
  };
  const stop = () => {
    server.between.before = undefined;
  };
  return { looks: () => looks, stop };
}

const kubeWith = (kubectl: Kubectl) => async (args: string, input?: string) => clients.run(kubectl, args.split(" "), { input });

describe.skipIf(!oldest)("kubectl", () => {
  it.each(whole)(
    "$version finds no difference where there is none, even when it is looked at in between",
    { timeout: 90_000 },
    async (kubectl) => {
      const name = nameFor(kubectl, "same");
      const kube = kubeWith(kubectl);
      await kube("apply -f -", configFile(name));
      await atRest(name);
      const between = lookedAtBeforeDryRuns(name);
      try {
        expect(await kube("diff -f -", configFile(name))).toEqual({ code: 0, out: "" });
        // Of one manager; another one would own fields afterwards, which the oldest kubectl shows.
        await kube("apply --server-side --force-conflicts -f -", configFile(name));
        expect(await kube("diff --server-side --force-conflicts -f -", configFile(name))).toEqual({ code: 0, out: "" });
        const changed = await kube("diff --server-side --force-conflicts -f -", configFile(name, "other\n"));
        expect(changed.code).toBe(1);
        expect(changed.out).not.toMatch(/observedAt|resourceVersion/);
      } finally {
        between.stop();
      }
      expect(between.looks()).toBeGreaterThan(0);
    },
  );

  it.each(whole)(
    "$version applies on the server: whose a field is, is told by name, and it is taken over only when asked",
    { timeout: 90_000 },
    async (kubectl) => {
      const name = nameFor(kubectl, "ssa");
      const kube = kubeWith(kubectl);
      const apply = "apply --server-side -f -";
      expect((await kube(`${apply} --field-manager=first`, configFile(name))).out).toContain(`${name} serverside-applied`);
      // What is equal is owned together, and is no conflict.
      expect((await kube(`${apply} --field-manager=second`, configFile(name))).code).toBe(0);
      const conflict = await kube(`${apply} --field-manager=second`, configFile(name, "other\n"));
      expect(conflict.code).toBe(1);
      expect(conflict.out).toMatch(/Apply failed with 1 conflict: conflict with "first"( using setpoint\.dev\/v1alpha1)?: \.spec\.content/);
      expect(conflict.out).toContain("--force-conflicts");
      const differs = await kube("diff --server-side --force-conflicts --field-manager=second -f -", configFile(name, "other\n"));
      expect([differs.code, differs.out]).toEqual([1, expect.stringMatching(/\+\s+content: \|\n\+\s+other|\+\s+other/)]);
      const refused = await kube("diff --server-side --field-manager=second -f -", configFile(name, "other\n"));
      expect([refused.code === 0, refused.out]).toEqual([false, expect.stringContaining('conflict with "first"')]);
      const dry = await kube(`${apply} --field-manager=second --force-conflicts --dry-run=server`, configFile(name, "other\n"));
      expect(dry.out).toContain("serverside-applied (server dry run)");
      expect((await objectNamed(name)).spec.content).toBe("hello\n");
      expect((await kube(`${apply} --field-manager=second --force-conflicts`, configFile(name, "other\n"))).code).toBe(0);
      const { spec, metadata } = await objectNamed(name);
      expect(spec.content).toBe("other\n");
      const owners = metadata.managedFields.filter((entry: { fieldsV1: object }) => JSON.stringify(entry.fieldsV1).includes("f:content"));
      expect(owners.map(({ manager, operation }: Record<string, string>) => [manager, operation])).toEqual([["second", "Apply"]]);
      await kube(`delete configfile ${name} --wait=false`);
    },
  );

  it.each(between)("$version is told of a conflict, and takes over when asked", { timeout: 60_000 }, async (kubectl) => {
    const name = nameFor(kubectl, "short");
    const kube = kubeWith(kubectl);
    const apply = "apply --server-side -f -";
    expect((await kube(`${apply} --field-manager=first`, configFile(name))).code).toBe(0);
    expect((await kube(apply, configFile(name, "other\n"))).out).toMatch(/conflict with "first"[^:]*: \.spec\.content/);
    expect((await kube(`${apply} --force-conflicts`, configFile(name, "other\n"))).code).toBe(0);
  });

  it.each(whole)("$version hands over from client-side to server-side apply", { timeout: 90_000 }, async (kubectl) => {
    const name = nameFor(kubectl, "handed");
    const kube = kubeWith(kubectl);
    await kube("apply -f -", configFile(name));
    expect((await kube("apply --server-side --force-conflicts -f -", configFile(name, "server\n"))).code).toBe(0);
    expect((await kube("apply --server-side -f -", configFile(name, "server again\n"))).out).toContain("serverside-applied");
    expect((await objectNamed(name)).spec.content).toBe("server again\n");
  });

  it("left nothing to log", () => {
    expect(server.logged).toEqual([]);
  });
});
