import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identityOf } from "./identity";
import { lockDataDir } from "./lock";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function leaveLock(number: number, holder: object): Promise<void> {
  await mkdir(path.join(folder, "lock"), { recursive: true });
  await writeFile(path.join(folder, "lock", String(number)), JSON.stringify({ since: "2026-01-01T00:00:00.000Z", ...holder }));
}

describe("one process per data folder", () => {
  test("a second one is refused with the folder, the process and since when it runs", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"]);
    try {
      await leaveLock(1, (await identityOf(other.pid ?? 0)) ?? {});
      await expect(lockDataDir(folder)).rejects.toMatchObject({
        reason: "InUse",
        message: expect.stringMatching(new RegExp(`${folder} is in use .* pid ${other.pid}, started 2026-01-01T00:00:00.000Z`)),
      });
    } finally {
      other.kill("SIGKILL");
      await once(other, "exit");
    }
  });

  test("a holder that died is replaced", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"]);
    await leaveLock(4, (await identityOf(other.pid ?? 0)) ?? {});
    other.kill("SIGKILL");
    await once(other, "exit");
    const lock = await lockDataDir(folder);
    expect(await readdir(path.join(folder, "lock"))).toEqual(["5"]);
    await lock.release();
  });

  test("a later process with the number of a dead holder does not count as it", async () => {
    await leaveLock(1, { pid: process.pid, startedAt: "another boot/1" });
    await (await lockDataDir(folder)).release();
  });

  test("once released, the folder is free again", async () => {
    const first = await lockDataDir(folder);
    await expect(lockDataDir(folder)).rejects.toMatchObject({ reason: "InUse" });
    await first.release();
    await first.release();
    await (await lockDataDir(folder)).release();
  });

  test("of many that find a dead holder, exactly one gets the folder", async () => {
    for (let round = 0; round < 10; round++) {
      await rm(path.join(folder, "lock"), { recursive: true, force: true });
      await leaveLock(7, { pid: 2 ** 22 + 5, startedAt: "gone" });
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(folder)));
      expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    }
  });

  test("a lock that cannot be read is not taken", async () => {
    await mkdir(path.join(folder, "lock"));
    await writeFile(path.join(folder, "lock", "1"), "not a lock");
    await expect(lockDataDir(folder)).rejects.toMatchObject({ reason: "InUse", message: expect.stringContaining("cannot be read") });
  });
});
