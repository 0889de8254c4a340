import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { systemClock } from "@/lib/clock";
import { describeKind, edited, type KindFixture, newResource, type OutsideThing } from "@/lib/conformance/kind";
import type { PlanInput } from "@/lib/controller";
import { createFiles, type FileStep } from "@/lib/providers/files";
import type { Json, Resource } from "@/lib/resource";
import configFile, { kind } from "./index";
import type { Observed } from "./observe";
import type { ConfigFileSpec } from "./schema";

const INSTALLATION = "test-installation";
type File = Resource<ConfigFileSpec>;

/** Everything below `folder`, with all that a write would move; times of reading are not in it. */
function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    const { ino, mtimeNs, ctimeNs, size, mode, uid } = lstatSync(full, { bigint: true });
    return [`${full} ${ino} ${mtimeNs} ${ctimeNs} ${size} ${mode} ${uid}`, ...(entry.isDirectory() ? walk(full) : [])];
  });
}

/** What was cut off, kept so that its open handles are not collected while the tests run. */
const suspended: Promise<void>[] = [];

/** Runs a put that is cut off after `step`, as by kill -9: nothing after it happens, nothing is tidied. */
async function cutOff(root: string, resource: File, step: FileStep): Promise<void> {
  const { path: name, content } = resource.spec;
  const { uid, namespace, name: claimant } = resource.metadata;
  await new Promise<void>((resolve, reject) => {
    const onStep = async (reached: FileStep) => {
      if (reached !== step) return;
      const never = new Promise<void>(() => resolve());
      suspended.push(never);
      await never;
    };
    const files = createFiles({ root, installation: INSTALLATION, clock: systemClock, onStep });
    files.put(name, { content }, { uid, namespace, name: claimant }).then(() => reject(new Error(`never reached ${step}`)), reject);
  });
}

class World {
  readonly base = mkdtempSync(path.join(os.tmpdir(), "setpoint-configfile-"));
  readonly root = path.join(this.base, "root");
  readonly outside = path.join(this.base, "outside");
  #count = 0;

  constructor() {
    mkdirSync(this.root);
    mkdirSync(this.outside);
    writeFileSync(path.join(this.outside, "precious"), "not yours");
  }

  resource(control: { adopt?: boolean } = {}): File {
    const name = `file-${++this.#count}`;
    return newResource(kind, name, { path: `apps/${name}/app.conf`, content: "listen = 8080\n", mode: "0640" }, { control });
  }

  at(resource: File): string {
    return path.join(this.root, resource.spec.path);
  }

  markAt(resource: File): string {
    return path.join(this.root, ".setpoint/marks", `${createHash("sha256").update(resource.spec.path).digest("hex")}.json`);
  }

  /** Writes by hand. */
  write(resource: File, content: string | Uint8Array): void {
    mkdirSync(path.dirname(this.at(resource)), { recursive: true });
    writeFileSync(this.at(resource), content);
  }

  /** A file and its mark are one thing, told apart by path. */
  inventory(resource: File): OutsideThing[] {
    const marks = path.join(this.root, ".setpoint/marks");
    const marked = existsSync(marks) ? readdirSync(marks).map((name) => JSON.parse(readFileSync(path.join(marks, name), "utf8"))) : [];
    const names = readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.parentPath.includes(".setpoint") && !entry.name.startsWith(".setpoint-"))
      .map((entry) => path.relative(this.root, path.join(entry.parentPath, entry.name)));
    return [...new Set([...names, ...marked.map((mark) => mark.path)])].map((id) => {
      const mark = marked.find((candidate) => candidate.path === id);
      return { id, ours: mark?.uid === resource.metadata.uid, state: { mark: mark?.state ?? null, ...this.#describe(id) } };
    });
  }

  #describe(name: string): Record<string, Json> {
    const full = path.join(this.root, name);
    const folder = path.dirname(full);
    const leftovers = existsSync(folder) ? readdirSync(folder).filter((entry) => entry.startsWith(".setpoint-")).length : 0;
    const stat = lstatSync(full, { throwIfNoEntry: false });
    if (!stat?.isFile()) return { leftovers, type: stat ? "other" : "absent" };
    const { mode, uid, gid } = stat;
    return { leftovers, content: readFileSync(full, "utf8"), mode: mode & 0o7777, uid, gid };
  }
}

const word = fc.string({ maxLength: 8 });
const looks: fc.Arbitrary<Observed> = fc.record(
  {
    look: fc.record(
      {
        actual: fc.oneof(
          fc.constant({ type: "absent" as const }),
          fc.record({ type: fc.constantFrom("folder" as const, "link" as const, "special" as const) }),
          fc.record(
            {
              type: fc.constant("file" as const),
              bytes: fc.nat(),
              sha256: word,
              text: fc.oneof(word, fc.constant("a".repeat(70_000))),
              mode: fc.nat(0o7777),
              uid: fc.nat(2),
              gid: fc.nat(2),
            },
            { requiredKeys: ["type", "bytes", "mode", "uid", "gid"] },
          ),
        ),
        holder: fc.record({ uid: word, namespace: word, name: word, installation: word, mine: fc.boolean() }),
        owned: fc.boolean(),
        unfinished: fc.boolean(),
        obstacle: fc.record({ reason: fc.constantFrom("InvalidSpec" as const, "NotOurs" as const), message: word }),
        markLocation: word,
      },
      { requiredKeys: ["actual", "owned", "unfinished", "markLocation"] },
    ),
    owner: fc.record({ uid: fc.nat(2), gid: fc.nat(2), actual: word }, { requiredKeys: ["uid"] }),
    holderGone: fc.boolean(),
  },
  { requiredKeys: ["look", "holderGone"] },
);

const inputs: fc.Arbitrary<PlanInput<ConfigFileSpec, Observed>> = fc.record({
  resource: fc
    .record(
      {
        path: word,
        content: fc.oneof(word, fc.constant("a".repeat(70_000)), fc.constant(`${"a".repeat(70_000)}b`)),
        mode: fc.constantFrom("0644", "600"),
        owner: fc.constantFrom("root", "root:root", "0", "1:2"),
      },
      { requiredKeys: ["path", "content"] },
    )
    .chain((spec) => fc.boolean().map((adopt) => ({ ...newResource(kind, "any", kind.example, { control: { adopt } }), spec }))),
  observed: looks,
  now: fc.nat(),
  deleting: fc.boolean(),
});

function starts(world: World): KindFixture<ConfigFileSpec, Observed>["starts"] {
  const crash = (step: FileStep) => (resource: File) => cutOff(world.root, resource, step);
  return {
    "a crash after the mark": crash("marked"),
    "a crash after the temporary file": crash("written"),
    "a crash after the file got its name": crash("published"),
    "a crash before the temporary name was removed": crash("finished"),
    "a foreign file to adopt": async (resource) => {
      world.write(resource, "older than Setpoint");
      return { ...resource, control: { ...resource.control, adopt: true } };
    },
    "its folder is there": async (resource) => {
      mkdirSync(path.dirname(world.at(resource)), { recursive: true });
    },
    "no mode and owner wished": async (resource) => edited(resource, { mode: undefined, owner: undefined }),
    "an owner wished by name and number": async (resource) =>
      edited(resource, { owner: `${os.userInfo().username}:${process.getgid?.() ?? 0}` }),
    "content of 1 MiB": async (resource) => edited(resource, { content: "é".repeat(512 * 1024) }),
    "empty content": async (resource) => edited(resource, { content: "" }),
  };
}

function breaks(world: World): KindFixture<ConfigFileSpec, Observed>["breaks"] {
  const asRoot = process.getuid?.() === 0;
  return {
    "content edited by hand": async (resource) => world.write(resource, "listen = 9090\n"),
    "one byte appended": async (resource) => writeFileSync(world.at(resource), "\n", { flag: "a" }),
    "replaced by binary": async (resource) => world.write(resource, Buffer.from([0, 255, 254, 10])),
    "replaced by 20 MiB": async (resource) => world.write(resource, Buffer.alloc(20 * 1024 * 1024, "x")),
    "mode changed": async (resource) => chmodSync(world.at(resource), 0o777),
    "file removed": async (resource) => unlinkSync(world.at(resource)),
    "folder removed": async (resource) => rmSync(path.dirname(world.at(resource)), { recursive: true }),
    "removed and made anew by somebody": async (resource) => {
      unlinkSync(world.at(resource));
      world.write(resource, "somebody's");
    },
    "an update cut off": async (resource) => cutOff(world.root, edited(resource, { content: "half" }), "written"),
    "new content": async (resource) => edited(resource, { content: "listen = 7070\n" }),
    "new mode": async (resource) => edited(resource, { mode: "600" }),
    ...(asRoot ? { "owner changed": async (resource: File) => ownedBy(world, resource) } : {}),
  };
}

/** As root only: a wished owner, and somebody else's file. */
async function ownedBy(world: World, resource: File): Promise<File> {
  chownSync(world.at(resource), 65534, 65534);
  return edited(resource, { owner: "root:root" });
}

function faults(world: World): KindFixture<ConfigFileSpec, Observed>["faults"] {
  const folderOf = (resource: File) => path.dirname(world.at(resource));
  const replaced = (make: (resource: File) => void) => async (resource: File) => {
    mkdirSync(path.join(world.root, "apps"), { recursive: true });
    rmSync(folderOf(resource), { recursive: true, force: true });
    make(resource);
  };
  const repair = async (resource: File) => rmSync(folderOf(resource), { recursive: true, force: true });
  const outwards = (resource: File) => symlinkSync(world.outside, folderOf(resource));
  return {
    "a link on the way leaves the root": { reason: "InvalidSpec", arrange: replaced(outwards), repair },
    "a link on the way, put there later": { reason: "InvalidSpec", strikes: "converged", arrange: replaced(outwards), repair },
    "a file stands where a folder is needed": { reason: "NotOurs", arrange: replaced((r) => writeFileSync(folderOf(r), "")), repair },
    "a folder stands in the place of the file": {
      reason: "NotOurs",
      strikes: "converged",
      arrange: replaced((resource) => mkdirSync(world.at(resource), { recursive: true })),
      repair,
    },
    "the mark is damaged": {
      reason: "TargetError",
      strikes: "converged",
      arrange: async (resource) => writeFileSync(world.markAt(resource), "{"),
      repair: async (resource) => {
        rmSync(world.markAt(resource));
        rmSync(world.at(resource));
      },
    },
    "an owner this host does not know": {
      reason: "Rejected",
      arrange: async (resource) => edited(resource, { owner: "nobody-by-this-name" }),
      repair: async (resource) => edited(resource, { owner: undefined }),
    },
    "a path that leaves the root": {
      reason: "InvalidSpec",
      arrange: async (resource) => edited(resource, { path: "../outside/precious" }),
    },
    "the folder of marks is a link": {
      reason: "InvalidSpec",
      arrange: async () => {
        rmSync(path.join(world.root, ".setpoint"), { recursive: true, force: true });
        symlinkSync(world.outside, path.join(world.root, ".setpoint"));
      },
      repair: async () => rmSync(path.join(world.root, ".setpoint")),
    },
  };
}

function foreign(world: World): KindFixture<ConfigFileSpec, Observed>["foreign"] {
  const snapshot = async (resource: File) => [
    ...walk(world.outside),
    `${lstatSync(world.at(resource)).ino} ${lstatSync(world.at(resource)).mtimeMs} ${lstatSync(world.at(resource)).ctimeMs}`,
  ];
  return {
    "a file of the same name": { reason: "NotOurs", arrange: async (resource) => world.write(resource, "mine"), snapshot },
    "a file with the very content": { reason: "NotOurs", arrange: async (r) => world.write(r, r.spec.content), snapshot },
    "a file that appeared during the first write": {
      reason: "NotOurs",
      arrange: async (resource) => {
        await cutOff(world.root, resource, "written");
        world.write(resource, resource.spec.content);
      },
      snapshot,
    },
    "a link out of the root": {
      reason: "InvalidSpec",
      arrange: async (resource) => {
        mkdirSync(path.dirname(world.at(resource)), { recursive: true });
        symlinkSync(path.join(world.outside, "precious"), world.at(resource));
      },
      snapshot,
    },
    "a folder, even to adopt": {
      reason: "NotOurs",
      arrange: async (resource) => {
        mkdirSync(world.at(resource), { recursive: true });
        return { ...resource, control: { ...resource.control, adopt: true } };
      },
      snapshot,
    },
    "a file beside it": {
      arrange: async (resource) => {
        mkdirSync(path.dirname(world.at(resource)), { recursive: true });
        writeFileSync(`${world.at(resource)}.bak`, "mine");
      },
      snapshot: async (resource) => {
        const { ino, mtimeMs, ctimeMs } = lstatSync(`${world.at(resource)}.bak`);
        return [ino, mtimeMs, ctimeMs];
      },
    },
  };
}

describeKind<ConfigFileSpec, Observed>("ConfigFile", async () => {
  const world = new World();
  return {
    start: async () => ({
      controller: configFile({ files: createFiles({ root: world.root, installation: INSTALLATION, clock: systemClock }) }),
    }),
    resource: () => world.resource(),
    starts: starts(world),
    breaks: breaks(world),
    faults: faults(world),
    foreign: foreign(world),
    inventory: async (resource) => world.inventory(resource),
    fingerprint: async () => walk(world.base),
    inputs,
    maxActions: 2,
    installation: INSTALLATION,
    close: async () => rmSync(world.base, { recursive: true, force: true }),
  };
});
