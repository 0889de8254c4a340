/** The clients that people have: kubectl 1.20 and every other one on this machine, against the real listener, API, engine and kinds. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import { between, configFile, type Kubectls, minorOf, nameFor, newest, oldest, openKubectls, replicaSet, whole } from "./testing/kubectl";
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
const run: Kubectls["run"] = (...asked) => clients.run(...asked);

describe.skipIf(!oldest)("kubectl", () => {
  it.each(whole)("$version applies, shows, changes, waits and deletes", { timeout: 120_000 }, async (kubectl) => {
    const name = nameFor(kubectl, "file");
    const kube = (args: string, input?: string, env?: Record<string, string>) => run(kubectl, args.split(" "), { input, env });
    const ok = async (args: string, input?: string) => {
      const { code, out } = await kube(args, input);
      expect([args, code, out]).toEqual([args, 0, out]);
      return out;
    };
    const failed = async (args: string, input?: string, env?: Record<string, string>) => {
      const { code, out } = await kube(args, input, env);
      expect([args, code === 0]).toEqual([args, false]);
      return out;
    };

    expect(await ok("apply -f -", configFile(name))).toContain(`configfile.setpoint.dev/${name} created`);
    expect(await ok("apply -f -", configFile(name))).toContain("unchanged");
    expect(await ok(`wait --for=condition=Ready configfile/${name} --timeout=30s`)).toContain("condition met");
    const [plain, wide, labels, json, yaml, jsonpath, described, events, resources, versions, all, columns, template, sorted, client] =
      await Promise.all([
        ok(`get configfile ${name}`),
        ok(`get cf -A -o wide`.replace("cf", "configfiles")),
        ok(`get configfiles -l app=${name} --show-labels`),
        ok(`get configfile ${name} -o json`),
        ok(`get configfile ${name} -o yaml`),
        ok(`get configfiles --field-selector metadata.name=${name} -o jsonpath={.items[0].spec.content}`),
        ok(`describe configfile ${name}`),
        ok("get events"),
        ok("api-resources"),
        ok("api-versions"),
        ok("get all -o name"),
        ok(`get configfile ${name} -o custom-columns=WHERE:.spec.path,STATE:.status.state`),
        ok(`get configfile ${name} -o go-template={{.spec.path}}/{{.kind}}`),
        ok("get configfiles --sort-by=.spec.path --no-headers"),
        ok("apply --dry-run=client -o yaml -f -", configFile(name)),
      ]);
    expect(plain).toMatch(/^NAME +PATH +BYTES +STATE +AGE\n/);
    expect(plain).toMatch(new RegExp(`${name} +${name}.txt +6 +Converged`));
    expect(wide).toMatch(/^NAMESPACE +NAME +PATH +BYTES +MODE +HOST +STATE +REASON +NEXT ATTEMPT +AGE\n/);
    expect(labels).toContain(`app=${name}`);
    expect(JSON.parse(json).spec.content).toBe("hello\n");
    expect(yaml).toContain(`path: ${name}.txt`);
    expect(jsonpath).toBe("hello\n");
    expect(described).toMatch(/Events:\n.*Type +Reason/);
    expect(described).toMatch(/Normal +Converged/);
    expect(events).toContain(`configfile/${name}`);
    expect(resources).toMatch(/replicasets +rs +setpoint.dev\/v1alpha1 +true +ReplicaSet/);
    expect(versions.split("\n")).toEqual(expect.arrayContaining(["setpoint.dev/v1alpha1", "v1"]));
    expect(all).toContain(`configfile.setpoint.dev/${name}`);
    expect(columns).toMatch(new RegExp(`^WHERE +STATE\n${name}.txt +Converged`));
    expect(template).toBe(`${name}.txt/ConfigFile`);
    expect(sorted).toMatch(new RegExp(`^${name} +${name}.txt +6 +Converged`, "m"));
    expect(client).toContain(`path: ${name}.txt`);

    expect(await ok("diff -f -", configFile(name))).toBe("");
    const diff = await kube("diff -f -", configFile(name, "other\n"));
    expect(diff.code).toBe(1);
    expect(diff.out).toMatch(/-\s+content: \|\n\s*-?\s+hello|\+\s+other/);
    expect(await ok("apply --dry-run=server -f -", configFile(name, "other\n"))).toContain("configured (server dry run)");
    expect(await ok(`get configfile ${name} -o jsonpath={.metadata.generation}`)).toBe("1");
    await ok(`patch configfile ${name} --type=merge -p {"spec":{"content":"merged"}}`);
    await ok(`patch configfile ${name} --type=json -p [{"op":"test","path":"/spec/content","value":"merged"}]`);
    expect(await failed(`patch configfile ${name} -p {"spec":{}}`)).toContain("the body of the request was in an unknown format");
    await ok(`label configfile ${name} team=a`);
    await ok(`annotate configfile ${name} note=b passing=c`);
    await ok(`annotate configfile ${name} passing-`);
    expect(await failed(`label configfile ${name} team=other`)).toContain("--overwrite");
    const edit = await kube(`edit configfile ${name}`, undefined, { EDITOR: "sed -i s/merged/edited/" });
    expect(edit.out).toContain("edited");
    // At rest nothing but a client changes an object.
    const stored = await eventually(
      "the file converges again",
      async () => {
        const text = await ok(`get configfile ${name} -o json`);
        const { metadata, status } = JSON.parse(text);
        return status.state === "Converged" && status.observedGeneration === metadata.generation ? text : undefined;
      },
      30_000,
    );
    expect(JSON.parse(stored)).toMatchObject({
      metadata: { labels: { team: "a" }, annotations: { note: "b" }, generation: 3 },
      spec: { content: "edited" },
    });
    expect(await failed("replace -f -", stored.replace(/"resourceVersion": "\d+"/, '"resourceVersion": "1"'))).toContain("Conflict");
    expect(await ok("replace -f -", stored.replace("edited", "replaced"))).toContain("replaced");

    const [missing, again, selector, field, invalid, unknown, large] = await Promise.all([
      failed("get configfile nobody"),
      failed("create -f -", configFile(name)),
      failed("get configfiles -l a===b"),
      failed("get configfiles --field-selector spec.path=x"),
      failed("create --validate=false -f -", configFile(`${name}-bad`).replace(`${name}-bad.txt`, "../../etc/passwd")),
      failed("get gadgets"),
      failed("create --validate=false -f -", configFile(`${name}-large`, "x".repeat(1_100_000))),
    ]);
    expect(missing).toContain('Error from server (NotFound): configfiles.setpoint.dev "nobody" not found');
    expect(again).toContain(`configfiles.setpoint.dev "${name}" already exists`);
    expect(selector).toContain("BadRequest");
    expect(field).toContain("field label not supported: spec.path");
    expect(invalid).toMatch(/ConfigFile(\.setpoint\.dev)? "file-\d+-bad" is invalid: spec\.path/);
    expect(unknown).toContain(`the server doesn't have a resource type "gadgets"`);
    expect(large).toContain("the body must have at most 1048576 bytes");
    const elsewhere = nameFor(kubectl, "place");
    for (const each of ["one", "two"]) await ok(`create -n ${elsewhere} -f -`, configFile(`${each}-${elsewhere}`));
    expect(await ok(`create -n ${elsewhere} --dry-run=server -f -`, configFile(`three-${elsewhere}`))).toContain("(server dry run)");
    // 1.23 and newer wait for any field.
    if (minorOf(kubectl) >= 23)
      expect(await ok(`wait -n ${elsewhere} --for=jsonpath={.status.state}=Converged configfile --all --timeout=30s`)).toContain(
        "condition met",
      );
    expect((await ok(`delete configfiles --all -n ${elsewhere}`)).match(/deleted/g)).toHaveLength(2);
    expect(await ok(`get configfiles -n ${elsewhere}`)).toContain("No resources found");
    expect(await ok(`delete configfile ${name} --dry-run=server`)).toContain("(server dry run)");
    expect(await ok(`delete configfiles -l app=${name}`)).toContain("deleted");
    expect(await failed(`get configfile ${name}`)).toContain("NotFound");
  });

  it.each(whole)("$version explains, scales, asks what it may, and watches", { timeout: 120_000 }, async (kubectl) => {
    const name = nameFor(kubectl, "set");
    const ok = async (args: string, input?: string) => {
      const { code, out } = await run(kubectl, args.split(" "), { input });
      expect([args, code, out]).toEqual([args, 0, out]);
      return out;
    };
    await ok("apply -f -", replicaSet(name));
    const table = clients.listening(kubectl, `get replicaset ${name} -w`.split(" "));
    const values = clients.listening(kubectl, `get replicaset ${name} -w -o jsonpath={.spec.replicas},`.split(" "));
    // Each lists first and watches from there.
    await Promise.all([table.heard(new RegExp(`^${name} +0 `, "m")), values.heard(/0,/)]);
    expect(await ok(`scale replicaset ${name} --replicas=1`)).toContain("scaled");
    expect(await ok(`scale rs ${name} --replicas=0 --current-replicas=1`)).toContain("scaled");
    const wrong = await run(kubectl, `scale rs ${name} --replicas=3 --current-replicas=7`.split(" "));
    expect(wrong.code).not.toBe(0);
    const [field, whole, can, cannot, rules, namespaces, created, version, ready] = await Promise.all([
      ok("explain replicaset.spec.template.command"),
      ok("explain configfile --recursive"),
      ok("auth can-i create replicasets"),
      run(kubectl, "auth can-i create pods".split(" ")),
      ok("auth can-i --list"),
      ok("get namespaces"),
      run(kubectl, "create namespace other".split(" ")),
      ok("version"),
      ok("get --raw /readyz"),
    ]);
    expect(field).toContain("Executable and arguments; no shell.");
    expect(whole).toMatch(/deletionPolicy\s+<string>/);
    expect(can).toMatch(/^yes/);
    expect(cannot.out).toContain("no");
    expect(cannot.code).toBe(1);
    expect(rules).toMatch(/replicasets\.setpoint\.dev .*create/);
    expect(namespaces).toMatch(/default +Active/);
    expect(created.out).toContain("a namespace exists with the first object in it");
    expect(version).toContain("setpoint");
    expect(ready).toBe("ok");
    // 1.27 and newer know these.
    if (minorOf(kubectl) >= 27) {
      expect(await ok("auth whoami")).toMatch(/Username +bootstrap-token/);
      expect(await ok(`events --for replicaset/${name}`)).toContain(`ReplicaSet/${name}`);
      const status = await run(kubectl, `edit replicaset ${name} --subresource=status`.split(" "), {
        env: { EDITOR: "sed -i s/state:/stat:/" },
      });
      expect(status.code).not.toBe(0);
    }
    const rows = await table.heard(new RegExp(`^${name} +0 [^]*^${name} +1 [^]*^${name} +0 `, "m"));
    expect(rows.match(/^NAME/gm)).toHaveLength(1);
    await values.heard(/0,.*1,.*0,/);
    table.stop();
    values.stop();
    await ok(`delete replicaset ${name} --wait=true`);
  });

  it.each(whole)("$version deletes with finalizers and cascades", { timeout: 120_000 }, async (kubectl) => {
    const ok = async (args: string, input?: string) => {
      const { code, out } = await run(kubectl, args.split(" "), { input });
      expect([args, code, out]).toEqual([args, 0, out]);
      return out;
    };
    const [owner, child, orphaned] = ["owner", "child", "orphaned"].map((word) => nameFor(kubectl, word));
    const owned = (name = "", uid = "", more = {}) => {
      const document = JSON.parse(configFile(name));
      const ownerReferences = [{ apiVersion: "setpoint.dev/v1alpha1", kind: "ConfigFile", name: owner, uid, blockOwnerDeletion: true }];
      return JSON.stringify({ ...document, metadata: { ...document.metadata, ownerReferences, ...more } });
    };
    await ok("create -f -", configFile(owner ?? ""));
    const uid = await ok(`get configfile ${owner} -o jsonpath={.metadata.uid}`);
    await ok("create -f -", owned(child, uid, { finalizers: ["example.org/hold"] }));
    await ok(`delete configfile ${owner} --cascade=foreground --wait=false`);
    // Held up by the finalizer of what it owns.
    await eventually("the child is being deleted", () => ok(`get configfile ${child} -o jsonpath={.metadata.deletionTimestamp}`), 30_000);
    expect(await ok(`get configfile ${owner} -o jsonpath={.metadata.finalizers}`)).toContain("foregroundDeletion");
    await ok(`patch configfile ${child} --type=json -p [{"op":"remove","path":"/metadata/finalizers/0"}]`);
    await ok(`wait --for=delete configfile/${owner} --timeout=30s`).catch(() => undefined);
    const gone = await run(kubectl, ["get", "configfiles", `${child}`, `${owner}`]);
    expect(gone.out.match(/NotFound/g)).toHaveLength(2);

    await ok("create -f -", configFile(owner ?? ""));
    const second = await ok(`get configfile ${owner} -o jsonpath={.metadata.uid}`);
    await ok("create -f -", owned(orphaned, second));
    await ok(`delete configfile ${owner} --cascade=orphan`);
    expect(await ok(`get configfile ${orphaned} -o jsonpath={.metadata.ownerReferences}`)).toBe("");
    await ok(`delete configfile ${orphaned} --now`);
  });

  it.each(between)("$version applies, tells differences, explains, asks, and deletes", { timeout: 60_000 }, async (kubectl) => {
    const name = nameFor(kubectl, "file");
    const kube = (args: string, input?: string) => run(kubectl, args.split(" "), { input });
    expect((await kube("apply -f -", configFile(name))).out).toContain("created");
    // A report between what diff reads and what it tries is a conflict to it, and it waits for seconds before it tries again.
    expect((await kube(`wait --for=condition=Ready configfile/${name} --timeout=30s`)).code).toBe(0);
    const [table, diff, dry, explained, can, me] = await Promise.all([
      kube(`get configfile ${name}`),
      kube("diff -f -", configFile(name, "other\n")),
      kube("apply --dry-run=server -f -", configFile(name, "other\n")),
      kube("explain configfile.spec.path"),
      kube("auth can-i delete configfiles"),
      // 1.27 knows only the versions before v1.
      minorOf(kubectl) >= 28 ? kube("auth whoami -o jsonpath={.status.userInfo.username}") : { out: "bootstrap-token" },
    ]);
    expect(table.out).toMatch(/^NAME +PATH +BYTES +STATE +AGE\n/);
    expect([diff.code, dry.out]).toEqual([1, expect.stringContaining("server dry run")]);
    expect(explained.out).toContain("Where the file is");
    expect(can.out).toMatch(/^yes/);
    expect(me.out).toBe("bootstrap-token");
    expect((await kube(`delete configfile ${name}`)).out).toContain("deleted");
  });

  it("is told in words what is wrong with who asks", { timeout: 60_000 }, async () => {
    if (!newest) return;
    const kubeconfig = await server.kubeconfigFor("no-token-of-this-server");
    const { code, out } = await run(newest, ["get", "configfiles"], { kubeconfig });
    expect(code).toBe(1);
    expect(out).toMatch(/logged in|Unauthorized/);
  });

  it("is told what it may not, in the words that it knows", { timeout: 60_000 }, async () => {
    if (!oldest || !newest) return;
    const robot = { namespace: "default", name: "reader" };
    await server.ask("POST", "/api/console/serviceaccounts", robot);
    await server.ask("POST", "/api/console/bindings", {
      ...{ role: "viewer", namespace: "default" },
      subject: { kind: "ServiceAccount", ...robot },
    });
    const { token } = await server.ask("POST", "/api/console/tokens", { name: "t", serviceAccount: robot });
    const kubeconfig = await server.kubeconfigFor(token);
    for (const kubectl of [oldest, newest]) {
      const kube = (args: string, input?: string) => run(kubectl, args.split(" "), { kubeconfig, input });
      const [create, elsewhere, everywhere, may, mayNot] = await Promise.all([
        kube("create -f -", configFile("mine")),
        kube("get configfiles -n other"),
        kube("get configfiles -A"),
        kube("auth can-i list configfiles"),
        kube("auth can-i delete configfiles"),
      ]);
      const who = 'User "system:serviceaccount:default:reader" cannot';
      expect(create.out).toMatch(/^Error from server \(Forbidden\)/m);
      expect(create.out).toContain(
        `configfiles.setpoint.dev is forbidden: ${who} create resource "configfiles" in API group "setpoint.dev"`,
      );
      expect(elsewhere.out).toContain(`${who} list resource "configfiles" in API group "setpoint.dev" in the namespace "other"`);
      expect(everywhere.out).toContain(`${who} list resource "configfiles"`);
      expect([may.code, mayNot.code]).toEqual([0, 1]);
    }
  });

  it("left nothing to log: no request of theirs was a surprise", () => {
    expect(server.logged).toEqual([]);
  });
});
