import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { fileFault } from "./faults";
import { type Claim, createFiles, type FileStep, type Files, pathFault } from "./index";

const one: Claim = { uid: "uid-1", namespace: "default", name: "one" };
const two: Claim = { uid: "uid-2", namespace: "default", name: "two" };
let base: string;
let root: string;
let files: Files;

const make = (onStep?: (step: FileStep) => Promise<void>) => createFiles({ root, installation: "here", clock: systemClock, onStep });
const at = (name: string) => path.join(root, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const listed = () =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith(".setpoint"))
    .sort();
const marks = () => (existsSync(at(".setpoint/marks")) ? readdirSync(at(".setpoint/marks")) : []);

beforeEach(() => {
  base = mkdtempSync(path.join(os.tmpdir(), "setpoint-files-"));
  root = path.join(base, "root");
  mkdirSync(root);
  files = make();
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** What was cut off, kept so that its open handles are not collected while the tests run. */
const suspended: Promise<void>[] = [];

describe("a path", () => {
  test("that could leave the root, or name our own records, is refused", async () => {
    const bad = [
      "",
      "/etc/passwd",
      "..",
      "../x",
      "a/../../x",
      "a/..",
      "a//b",
      "a/",
      ".",
      "./a",
      "a\0b",
      "a\nb",
      ".setpoint",
      ".SetPoint/x",
    ];
    bad.push("a/.setpoint-x", "x".repeat(256), `${"x/".repeat(600)}x`);
    for (const name of bad) {
      expect(pathFault(name), JSON.stringify(name)).toBeTypeOf("string");
      await expect(files.put(name, { content: "x" }, one)).rejects.toMatchObject({ reason: "InvalidSpec" });
      expect((await files.look(name, one)).obstacle?.reason).toBe("InvalidSpec");
    }
    expect(readdirSync(base)).toEqual(["root"]);
    expect(readdirSync(root)).toEqual([]);
  });

  test("that is accepted always stays below the root", () => {
    const segment = fc.constantFrom("..", ".", "", "a", "b c", "…", "/", "\0", "...", ".setpoint");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(segment).map((parts) => parts.join("/")),
        ),
        (name) => {
          if (pathFault(name) !== undefined) return;
          expect(path.resolve("/root", name).startsWith("/root/")).toBe(true);
          expect(path.normalize(name)).toBe(name);
        },
      ),
    );
  });
});

describe("a link", () => {
  beforeEach(() => {
    mkdirSync(path.join(base, "outside"));
    writeFileSync(path.join(base, "outside/precious"), "precious");
  });

  test.each(["out/precious", "out/new", "deep/out/new", "file"])("is never followed: %s", async (name) => {
    symlinkSync(path.join(base, "outside"), at("out"));
    mkdirSync(at("deep"));
    symlinkSync("../../outside", at("deep/out"));
    symlinkSync(path.join(base, "outside/precious"), at("file"));
    await expect(files.put(name, { content: "x" }, one, { adopt: true })).rejects.toMatchObject({ reason: "InvalidSpec" });
    await files.remove(name, one);
    expect(readdirSync(path.join(base, "outside"))).toEqual(["precious"]);
    expect(readFileSync(path.join(base, "outside/precious"), "utf8")).toBe("precious");
    expect(lstatSync(at("file")).isSymbolicLink()).toBe(true);
  });

  test("put in the place of a folder while a file is written leads nowhere", async () => {
    mkdirSync(at("app"));
    const swapping = make(async (step) => {
      if (step !== "written") return;
      renameSync(at("app"), path.join(base, "moved"));
      symlinkSync(path.join(base, "outside"), at("app"));
    });
    await swapping.put("app/precious", { content: "x" }, one);
    expect(readFileSync(path.join(base, "outside/precious"), "utf8")).toBe("precious");
    expect(readFileSync(path.join(base, "moved/precious"), "utf8")).toBe("x");
  });

  test("in the place of our file is left alone by deletion", async () => {
    await files.put("mine", { content: "x" }, one);
    rmSync(at("mine"));
    symlinkSync(path.join(base, "outside/precious"), at("mine"));
    await files.remove("mine", one);
    expect(read("mine")).toBe("precious");
    expect(marks()).toEqual([]);
  });

  test("may be the root itself, which is the operator's choice", async () => {
    symlinkSync(root, path.join(base, "alias"));
    await createFiles({ root: path.join(base, "alias"), installation: "here", clock: systemClock }).put("a", { content: "x" }, one);
    expect(read("a")).toBe("x");
  });
});

describe("a crash", () => {
  const steps: FileStep[] = ["marked", "written", "published", "finished"];
  const crash = (step: FileStep, act: (cut: Files) => Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      const onStep = async (reached: FileStep) => {
        if (reached !== step) return;
        const never = new Promise<void>(() => resolve());
        suspended.push(never);
        await never;
      };
      act(make(onStep)).then(resolve, reject);
    });

  test.each(steps)("after '%s' of a first write is finished by the next, with no leftovers", async (step) => {
    await crash(step, (cut) => cut.put("app/a", { content: "x" }, one));
    const look = await files.look("app/a", one);
    expect(look.unfinished).toBe(true);
    expect(look.owned).toBe(step === "published" || step === "finished");
    await files.put("app/a", { content: "x" }, one);
    expect(listed()).toEqual(["app", "app/a"]);
    expect(await files.look("app/a", one)).toMatchObject({ owned: true, unfinished: false, actual: { text: "x" } });
  });

  test.each(steps)("after '%s' of a first write leaves nothing behind once deleted", async (step) => {
    await crash(step, (cut) => cut.put("app/a", { content: "x" }, one));
    await files.remove("app/a", one);
    expect(listed()).toEqual(["app"].filter(() => existsSync(at("app"))));
    expect(marks()).toEqual([]);
  });

  test.each(["marked", "written"] as FileStep[])("after '%s' never makes a foreign file ours, even of the same content", async (step) => {
    await crash(step, (cut) => cut.put("a", { content: "x" }, one));
    writeFileSync(at("a"), "x");
    expect((await files.look("a", one)).owned).toBe(false);
    await expect(files.put("a", { content: "y" }, one)).rejects.toMatchObject({ reason: "NotOurs" });
    await files.remove("a", one);
    expect(read("a")).toBe("x");
    expect(listed()).toEqual(["a"]);
  });

  test("in the middle of an update leaves the old content whole", async () => {
    await files.put("a", { content: "old" }, one);
    await crash("written", (cut) => cut.put("a", { content: "new" }, one));
    expect(read("a")).toBe("old");
    await files.put("a", { content: "new" }, one);
    expect(read("a")).toBe("new");
    expect(listed()).toEqual(["a"]);
  });

  test("between the file's removal and the mark's is finished by the next removal", async () => {
    await files.put("a", { content: "x" }, one);
    await crash("removed", (cut) => cut.remove("a", one));
    expect([listed(), marks().length]).toEqual([[], 1]);
    await files.remove("a", one);
    expect(marks()).toEqual([]);
  });
});

describe("ownership", () => {
  test("of a foreign file is not taken, and with adopt it is", async () => {
    writeFileSync(at("a"), "theirs", { mode: 0o600 });
    await expect(files.put("a", { content: "x" }, one)).rejects.toMatchObject({ reason: "NotOurs" });
    expect(read("a")).toBe("theirs");
    await files.put("a", { content: "x" }, one, { adopt: true });
    expect(read("a")).toBe("x");
    expect(statSync(at("a")).mode & 0o777).toBe(0o600);
  });

  test("is the first claim's: a second neither writes nor removes", async () => {
    await files.put("a", { content: "x" }, one);
    await expect(files.put("a", { content: "y" }, two)).rejects.toThrow(/ConfigFile default\/one/);
    await files.remove("a", two);
    expect(read("a")).toBe("x");
    expect((await files.look("a", two)).holder).toMatchObject({ name: "one", mine: false });
  });

  test("of two claims at the same moment goes to one", async () => {
    const results = await Promise.allSettled([one, two].map((claim) => make().put("a", { content: claim.name }, claim)));
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
    const winner = results[0]?.status === "fulfilled" ? "one" : "two";
    expect(read("a")).toBe(winner);
    expect(listed()).toEqual(["a"]);
  });

  test("of another installation with the same uid is not ours", async () => {
    await createFiles({ root, installation: "elsewhere", clock: systemClock }).put("a", { content: "x" }, one);
    await files.remove("a", one);
    expect(read("a")).toBe("x");
    await expect(files.put("a", { content: "y" }, one)).rejects.toMatchObject({ reason: "NotOurs" });
  });

  test("of a file that appears during its first write stays with who made it", async () => {
    const raced = make(async (step) => (step === "written" ? writeFileSync(at("a"), "theirs") : undefined));
    await expect(raced.put("a", { content: "x" }, one)).rejects.toMatchObject({ reason: "NotOurs" });
    expect(read("a")).toBe("theirs");
    expect(listed()).toEqual(["a"]);
  });
});

describe("writing", () => {
  test("is whole: a reader of a file that is replaced again and again never sees a part", async () => {
    const contents = ["a", "b"].map((letter) => letter.repeat(500_000));
    await files.put("a", { content: contents[0] ?? "" }, one);
    let done = false;
    const writing = (async () => {
      for (let round = 0; round < 30; round++) await files.put("a", { content: contents[round % 2] ?? "" }, one);
      done = true;
    })();
    while (!done) {
      const text = (await files.look("a", one)).actual;
      expect(text.type === "file" && contents.includes(text.text ?? "")).toBe(true);
    }
    await writing;
  });

  test("gives a new file 0644 whatever the umask of the process is, and keeps what an existing one has", async () => {
    const before = process.umask(0o077);
    await files.put("new/a", { content: "x" }, one).finally(() => process.umask(before));
    expect([statSync(at("new")).mode & 0o7777, statSync(at("new/a")).mode & 0o7777]).toEqual([0o755, 0o644]);
    expect(statSync(at(".setpoint/marks")).mode & 0o7777).toBe(0o700);
    await files.put("a", { content: "x" }, one);
    chmodSync(at("a"), 0o751);
    await files.put("a", { content: "y" }, one);
    expect(statSync(at("a")).mode & 0o7777).toBe(0o751);
    await files.put("a", { content: "y", mode: 0o600 }, one);
    expect(statSync(at("a")).mode & 0o7777).toBe(0o600);
  });

  test("does not reach through a hard link", async () => {
    await files.put("a", { content: "x" }, one);
    linkSync(at("a"), at("b"));
    await files.put("a", { content: "y" }, one);
    expect([read("a"), read("b")]).toEqual(["y", "x"]);
  });

  test("refuses more than 1 MiB, folders, pipes and what is below a file", async () => {
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("pipe")]);
    writeFileSync(at("file"), "");
    const large = "é".repeat(524_289);
    await expect(files.put("a", { content: large }, one)).rejects.toMatchObject({ reason: "InvalidSpec" });
    for (const name of ["folder", "pipe", "file/a"])
      await expect(files.put(name, { content: "x" }, one, { adopt: true })).rejects.toMatchObject({ reason: "NotOurs" });
    expect((await files.look("pipe", one)).actual).toEqual({ type: "special" });
    for (const name of ["folder", "pipe", "file/a"]) await files.remove(name, one);
    expect(listed()).toEqual(["file", "folder", "pipe"]);
    expect(marks()).toEqual([]);
  });

  test("ends when its signal is aborted, before anything is written", async () => {
    await expect(files.put("a", { content: "x" }, one, { signal: AbortSignal.abort() })).rejects.toMatchObject({ reason: "TargetTimeout" });
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("looking", () => {
  test("writes nothing, even when there is no root", async () => {
    rmSync(root, { recursive: true });
    expect(await files.look("a/b", one)).toMatchObject({ actual: { type: "absent" }, owned: false });
    expect(existsSync(root)).toBe(false);
  });

  test("does not read a huge file whole: size without text, and digest only up to 16 MiB", async () => {
    writeFileSync(at("large"), Buffer.alloc(2 * 1024 * 1024, "x"));
    execFileSync("truncate", ["-s", "200G", at("huge")]);
    const large = (await files.look("large", one)).actual;
    expect(large).toMatchObject({ bytes: 2 * 1024 * 1024, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect("text" in large).toBe(false);
    const { mode: _mode, uid: _uid, gid: _gid, ...huge } = Object(await files.look("huge", one)).actual;
    expect(huge).toEqual({ type: "file", bytes: 200 * 1024 ** 3 });
  });

  test("tells the names of owners in the form they were asked in", async () => {
    const { username, uid, gid } = os.userInfo();
    expect(await files.resolveOwner(username)).toEqual({ uid });
    expect(await files.resolveOwner(`${username}:${gid}`)).toEqual({ uid, gid });
    expect(await files.spellOwner("a:1", uid, gid)).toBe(`${username}:${gid}`);
    expect(await files.spellOwner("7", uid, gid)).toBe(String(uid));
    await expect(files.resolveOwner("nobody-by-this-name")).rejects.toMatchObject({ reason: "Rejected" });
  });
});

describe("a target that fails", () => {
  test("for want of rights is AccessDenied, for a normal user", () => {
    chmodSync(base, 0o755);
    mkdirSync(at("shut"), { mode: 0o555 });
    mkdirSync(at(".setpoint/marks"), { recursive: true });
    for (const folder of [".setpoint", ".setpoint/marks"]) chmodSync(at(folder), 0o777);
    writeFileSync(at("unreadable"), "x", { mode: 0 });
    mkdirSync(at("open"));
    chmodSync(at("open"), 0o777);
    expect(asNobody("put", "shut/a", {})).toMatch(/^AccessDenied: cannot .*shut\/a: permission denied \(EACCES\)/);
    expect(asNobody("look", "unreadable", {})).toMatch(/^AccessDenied: /);
    expect(asNobody("put", "open/a", { uid: 0 })).toMatch(/^AccessDenied: .*operation not permitted \(EPERM\)/);
    expect(asNobody("put", "open/b", { mode: 0o600 })).toBe("done");
    expect(listed()).toEqual(["open", "open/b", "shut", "unreadable"]);
  });

  test("because the root is a file is TargetError", async () => {
    rmSync(root, { recursive: true });
    writeFileSync(root, "");
    await expect(files.put("a", { content: "x" }, one)).rejects.toMatchObject({ reason: "TargetError" });
    await expect(files.look("a", one)).rejects.toMatchObject({ reason: "TargetError" });
  });

  test.each([
    ["ENOSPC", "TargetError"],
    ["EROFS", "TargetError"],
    ["EIO", "TargetError"],
    ["EACCES", "AccessDenied"],
    ["EPERM", "AccessDenied"],
    ["EOPNOTSUPP", "Unsupported"],
  ])("with %s is %s and says so", (code, reason) => {
    const fault = fileFault(Object.assign(new Error("x"), { code }), "write app/a");
    expect(fault).toMatchObject({ reason, message: expect.stringMatching(new RegExp(`^cannot write app/a: .*\\(${code}\\)$`)) });
  });
});

/** Runs one operation in a process that is not root's; what it prints is the outcome. */
function asNobody(verb: "put" | "look", name: string, extra: { uid?: number; mode?: number }): string {
  const script = `
    import { createFiles } from ${JSON.stringify(path.join(import.meta.dirname, "index.ts"))};
    import { systemClock } from "@/lib/clock";
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }
    const files = createFiles({ root: ${JSON.stringify(root)}, installation: "here", clock: systemClock });
    const claim = { uid: "n", namespace: "default", name: "n" };
    const act = ${verb === "put" ? `files.put(${JSON.stringify(name)}, { content: "x", ...${JSON.stringify(extra)} }, claim)` : `files.look(${JSON.stringify(name)}, claim)`};
    act.then(() => process.stdout.write("done"), (e) => process.stdout.write(e.reason + ": " + e.message));
  `;
  const child = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    cwd: path.resolve(import.meta.dirname, "../../.."),
    encoding: "utf8",
  });
  return child.stdout || child.stderr;
}
