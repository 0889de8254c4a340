import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type Fixture, openFixture, TOKEN, VAULTS, WIDGETS } from "@/lib/api/testing/fixture";
import { listen } from "@/lib/api/testing/listen";
import { systemClock } from "@/lib/clock";
import { openApiListener } from "@/lib/listener";

/** The real program, as a user starts it, against the real handler over a real database. */
const PROGRAM = path.resolve("lib/setup/setpoint.mjs");

let fixture: Fixture;
let server: Awaited<ReturnType<typeof listen>>;
let folder: string;

beforeAll(async () => {
  fixture = await openFixture();
  server = await listen(fixture.api);
  folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-cli-"));
});
afterAll(async () => {
  await server?.close();
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function setpoint(args: string[], { env = {}, input = "" }: { env?: Record<string, string>; input?: string } = {}): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { NODE_ENV: "test", PATH: "", HOME: folder, SETPOINT_SERVER: server.url, SETPOINT_TOKEN: TOKEN, ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

async function file(name: string, ...documents: object[]): Promise<string> {
  const where = path.join(folder, name);
  await writeFile(where, documents.map((document) => JSON.stringify(document)).join("\n---\n"));
  return where;
}
const widget = (name: string, spec: object) => ({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Widget",
  metadata: { name, labels: { of: "cli" } },
  spec,
});

/** What the engine would report. */
async function report(name: string, status: object): Promise<void> {
  const whole = { conditions: [], attempts: 0, reason: "Converged", message: "As declared.", state: "Converged", ...status };
  await fixture.store.pool.query(
    "update resource set status = $2, state = $2::jsonb->>'state', observed_generation = ($2::jsonb->>'observedGeneration')::bigint where name = $1",
    [name, whole],
  );
}

describe("setpoint apply, diff, get and plan", () => {
  it("tell what differs by exit code before it is applied, and nothing after", async () => {
    const files = ["-f", await file("two.yaml", widget("one", { size: 1 }), widget("two", { size: 2 }))];
    const before = await setpoint(["diff", ...files]);
    expect([before.code, before.err]).toEqual([1, ""]);
    expect(before.out).toContain("+  size: 2");
    expect((await fixture.call("GET", `${WIDGETS}/one`)).status).toBe(404);

    const applied = await setpoint(["apply", ...files]);
    expect(applied).toEqual({ code: 0, out: "widgets/one created\nwidgets/two created\n", err: "" });
    const [again, same] = await Promise.all([setpoint(["apply", ...files]), setpoint(["diff", ...files])]);
    expect(again.out).toBe("widgets/one unchanged\nwidgets/two unchanged\n");
    expect(same).toEqual({ code: 0, out: "", err: "" });

    const edited = JSON.stringify(widget("two", { size: 3 }));
    const dry = await setpoint(["apply", "--dry-run", "-f", "-"], { input: edited });
    expect(dry.out).toBe("widgets/two configured (dry run)\n");
    expect((await fixture.call("GET", `${WIDGETS}/two`)).body.spec.size).toBe(2);
    const changed = await setpoint(["diff", "-f", "-"], { input: edited });
    expect([changed.code, changed.out]).toEqual([1, expect.stringContaining("-  size: 2")]);
    expect((await setpoint(["apply", "-f", "-", "-m", "more of it"], { input: edited })).out).toBe("widgets/two configured\n");
    expect((await fixture.call("GET", `${WIDGETS}/two/revisions`)).body.items[0].message).toBe("more of it");
  });

  it("say what the server says of a fault, with file and field, and end with 2", async () => {
    const wrong = await setpoint(["apply", "-f", await file("wrong.yaml", widget("wrong", { size: 101, colour: "blue" }))]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain("wrong.yaml: Error from the server (Invalid)");
    expect(wrong.err).toContain("  spec.size: ");
    expect(wrong.err).toContain("  spec.colour: ");
    expect((await setpoint(["diff", "-f", path.join(folder, "wrong.yaml")])).code).toBe(2);
    expect(await setpoint(["diff", "-f", "absent.yaml"])).toMatchObject({ code: 2, err: "absent.yaml does not exist\n" });
  });

  it("print objects as table, JSON, YAML and names, by label and over all namespaces", async () => {
    const elsewhere = WIDGETS.replace("/default/", "/elsewhere/");
    await fixture.create(elsewhere, "far", { size: 1 });
    const [shown, names, json, yaml, all, unknown, absent] = await Promise.all([
      setpoint(["get", "widgets"]),
      setpoint(["get", "widget", "-l", "of=cli", "-o", "name"]),
      setpoint(["get", "Widget/one", "-o", "json"]),
      setpoint(["get", "widgets", "one", "two", "-o", "yaml"]),
      setpoint(["get", "all", "-A"]),
      setpoint(["get", "gadgets"]),
      setpoint(["get", "widgets", "nothing"]),
    ]);
    expect(shown.out).toMatch(/^NAME .*\none /);
    expect(names.out).toBe("widgets/one\nwidgets/two\n");
    expect(JSON.parse(json.out)).toMatchObject({ kind: "Widget", metadata: { name: "one" }, spec: { size: 1 } });
    expect(parse(yaml.out).items).toHaveLength(2);
    expect(all.out).toMatch(/^NAMESPACE/);
    expect(all.out).toContain("elsewhere");
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("it has widgets, vaults, lockers") });
    expect(absent).toMatchObject({ code: 2, out: "", err: expect.stringContaining('widgets.setpoint.dev "nothing" not found') });
  });

  it("show the plan of what is stored and of what is not", async () => {
    const [stored, candidate] = await Promise.all([
      setpoint(["plan", "widgets", "one"]),
      setpoint(["plan", "-f", path.join(folder, "two.yaml"), "-o", "json"]),
    ]);
    expect([stored.code, stored.out]).toEqual([0, expect.stringMatching(/^default\/widgets\/one: /)]);
    expect(JSON.parse(candidate.out)).toHaveLength(2);
  });
});

describe("setpoint pause, resume, reconcile, events and wait", () => {
  it("are the operator's hand", async () => {
    await fixture.create(WIDGETS, "hand", { size: 1 });
    expect(await setpoint(["pause", "widgets", "hand"])).toMatchObject({ code: 2, err: "say why with --reason\n" });
    const paused = await setpoint(["pause", "widgets/hand", "--reason", "migration", "--for", "2h"]);
    expect([paused.code, paused.out]).toEqual([0, expect.stringMatching(/^widgets\/hand paused until \d/)]);
    expect((await fixture.call("GET", `${WIDGETS}/hand`)).body.control.paused).toMatchObject({ reason: "migration" });
    expect(await setpoint(["reconcile", "widgets/hand"])).toMatchObject({ code: 2, err: expect.stringContaining("resume first") });
    expect((await setpoint(["resume", "widgets/hand"])).out).toBe("widgets/hand resumed\n");
    expect((await setpoint(["reconcile", "widgets/hand"])).out).toMatch(/^widgets\/hand: Looking now/);
    expect(fixture.woken).toContain("hand");
    await fixture.store.pool.query(
      `insert into event (uid, kind, namespace, name, generation, type, reason, message, count, first_at, last_at)
       select uid, kind, namespace, name, 1, 'Warning', 'Unreachable', 'Nobody answers.', 3, now(), now() from resource where name = 'hand'`,
    );
    const [own, all] = await Promise.all([setpoint(["events", "widgets/hand"]), setpoint(["events"])]);
    expect(own.out).toMatch(/^LAST SEEN[^\n]*\n\S+ +Warning +Unreachable +3 +widgets\/hand +Nobody answers\.\n$/);
    expect(all.out).toMatch(/widgets\/hand +Nobody answers\./);
  });

  it("waits for the generation that is meant, and fails on stalled, stale, another generation and time", async () => {
    const { body } = await fixture.create(WIDGETS, "waited", { size: 1 });
    expect(body.metadata.generation).toBe(1);
    const late = await setpoint(["wait", "widgets/waited", "--timeout", "1s"]);
    expect(late).toMatchObject({ code: 1, out: "", err: expect.stringContaining("widgets/waited: not within 1s: Progressing") });

    const waiting = setpoint(["wait", "widgets/waited", "--timeout", "1m"]);
    await report("waited", { observedGeneration: 1 });
    expect(await waiting).toEqual({ code: 0, out: "widgets/waited: converged at generation 1\n", err: "" });

    await fixture.call("PATCH", `${WIDGETS}/waited`, { spec: { size: 2 } });
    const [other, ahead] = await Promise.all([
      setpoint(["wait", "widgets/waited", "--generation", "1"]),
      setpoint(["wait", "widgets/waited", "--generation", "9", "--timeout", "1s"]),
    ]);
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining("wrong generation: 1 was waited for, and it is 2 now") });
    expect(ahead.code).toBe(1);

    await report("waited", { observedGeneration: 2, state: "Failed", reason: "InvalidSpec", message: "Cannot be." });
    expect(await setpoint(["wait", "widgets/waited"])).toMatchObject({
      code: 1,
      err: "widgets/waited: stalled: InvalidSpec: Cannot be.\n",
    });
    fixture.fresh.stale = true;
    await report("waited", { observedGeneration: 2 });
    expect(await setpoint(["wait", "widgets/waited"])).toMatchObject({ code: 1, err: expect.stringContaining("widgets/waited: stale") });
    fixture.fresh.stale = false;
  });
});

describe("setpoint kubeconfig and backup", () => {
  it("print what kubectl needs, and say when it will not do", async () => {
    const { code, out, err } = await setpoint(["kubeconfig", "-n", "team-a"]);
    expect([code, err]).toEqual([0, expect.stringContaining("kubectl sends no token over http")]);
    expect(parse(out)).toMatchObject({
      kind: "Config",
      clusters: [{ cluster: { server: server.url } }],
      users: [{ user: { token: TOKEN } }],
      contexts: [{ context: { namespace: "team-a" } }],
    });
    expect((await setpoint(["kubeconfig"], { env: { SETPOINT_TOKEN: "wrong" } })).code).toBe(2);
  });

  it("go through the TLS listener, trusting its authority and no other", async () => {
    const listener = await openApiListener({
      ...{ api: fixture.api, port: 0, host: "127.0.0.1", hostName: "here", dataDir: folder, clock: systemClock },
      log: () => undefined,
    });
    const url = `https://127.0.0.1:${listener.port}`;
    fixture.served.cluster = { server: url, certificateAuthority: listener.authority };
    try {
      const { code, out, err } = await setpoint(["kubeconfig"]);
      expect([code, err]).toEqual([0, ""]);
      const { cluster } = parse(out).clusters[0];
      expect(cluster.server).toBe(url);
      const ca = path.join(folder, "ca.pem");
      await writeFile(ca, Buffer.from(cluster["certificate-authority-data"], "base64"));
      const [trusted, strange] = await Promise.all([
        setpoint(["get", "widgets", "one", "-o", "name", "--server", url, "--ca", ca]),
        setpoint(["get", "widgets", "--server", url]),
      ]);
      expect(trusted).toEqual({ code: 0, out: "widgets/one\n", err: "" });
      expect(strange).toMatchObject({ code: 2, err: expect.stringContaining("name its certificate authority with --ca") });
    } finally {
      fixture.served.cluster = undefined;
      await listener.close();
    }
  });

  it("keep everything that may be read behind a manifest, and no secret", async () => {
    const canary = "a-secret-value";
    await fixture.create(VAULTS, "v", { values: { password: canary } });
    const whole = await setpoint(["backup"]);
    expect([whole.code, whole.err]).toEqual([0, expect.stringContaining("Secrets are not in this backup")]);
    expect(whole.out).not.toContain(canary);
    const [manifest, ...objects] = parseAllDocuments(whole.out).map((document) => document.toJS());
    expect(manifest).toMatchObject({ kind: "BackupManifest", complete: true, secrets: expect.stringContaining("digests") });
    expect(objects).toHaveLength(Object.values<number>(manifest.objects).reduce((sum, count) => sum + count, 0));
    expect(objects.find(({ kind }) => kind === "Vault").spec.values.password).toEqual({ digest: expect.any(String) });
    expect(
      createHash("sha256")
        .update(whole.out.slice(whole.out.indexOf("---\n")))
        .digest("hex"),
    ).toBe(manifest.sha256);
    const same = await setpoint(["diff", "-f", "-"], { input: whole.out });
    expect(same).toEqual({ code: 0, out: "", err: "" });
  });

  it("keep what a narrow token may read, and say what is missing", async () => {
    const account = { namespace: "default", name: "narrow" };
    await fixture.call("POST", "/api/console/serviceaccounts", account);
    const subject = { kind: "ServiceAccount", ...account };
    await fixture.call("POST", "/api/console/bindings", { role: "viewer", namespace: "default", subject });
    const { body } = await fixture.call("POST", "/api/console/tokens", {
      name: "t",
      serviceAccount: account,
      scope: { kinds: ["widgets"] },
    });
    const { code, out, err } = await setpoint(["backup"], { env: { SETPOINT_TOKEN: body.token } });
    expect([code, err]).toEqual([0, expect.stringContaining("Not everything may be read by you")]);
    expect(parseAllDocuments(out)[0]?.toJS()).toMatchObject({ complete: false, namespaces: ["default"], objects: { vaults: 0 } });
    expect(out).not.toContain("elsewhere");
  });
});

describe("setpoint", () => {
  it("finds its server in options before the environment before its file", async () => {
    await writeFile(path.join(folder, "own.yaml"), `server: ${server.url}\ntoken: ${TOKEN}\nnamespace: elsewhere\n`, { mode: 0o600 });
    const env = { SETPOINT_CONFIG: path.join(folder, "own.yaml"), SETPOINT_SERVER: "", SETPOINT_TOKEN: "" };
    const [fromFile, option, none, broken, usage] = await Promise.all([
      setpoint(["get", "widgets", "-o", "name"], { env }),
      setpoint(["get", "widgets", "-o", "name", "-n", "default", "--token", "wrong"], { env }),
      setpoint(["get", "widgets", "--server", "http://127.0.0.1:1"]),
      setpoint(["get", "widgets", "--fly"]),
      setpoint(["--help"]),
    ]);
    expect(fromFile).toEqual({ code: 0, out: "widgets/far\n", err: "" });
    expect(option).toMatchObject({ code: 2, err: expect.stringContaining("the bearer token is not valid") });
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("http://127.0.0.1:1 cannot be reached") });
    expect(broken).toMatchObject({ code: 2, err: expect.stringContaining("--fly") });
    expect(usage).toMatchObject({ code: 0, err: "" });
  });
});
