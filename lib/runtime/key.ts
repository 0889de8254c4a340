import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { SetpointError } from "@/lib/errors";
import { keyId } from "@/lib/secrets";
import type { Pool } from "@/lib/store/prisma";
import type { Config } from "./config";

/** The encryption key: as configured, else kept in the data folder (mode 0600) from the first start on. */
export async function encryptionKey(config: Pick<Config, "encryptionKey" | "dataDir">): Promise<Buffer> {
  if (config.encryptionKey) return config.encryptionKey;
  const file = path.join(config.dataDir, "key");
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 });
  return (await readKey(file)) ?? createKey(file);
}

async function readKey(file: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== 32)
    throw new SetpointError(
      "Invalid",
      `${file} does not hold a key of 32 bytes in base64. Restore it: without it no secret can be opened.`,
    );
  return key;
}

/** Written aside and linked in place, so that a crash leaves no half key and two processes agree on one. */
async function createKey(file: string): Promise<Buffer> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKey(file);
  if (!key) throw new SetpointError("InternalError", `${file} vanished while it was made.`);
  return key;
}

/** Refuses to start with another key than the one the stored secrets were sealed with. */
export async function checkKey(pool: Pool, key: Buffer): Promise<void> {
  const { rows } = await pool.query("update installation set key_check = coalesce(key_check, $1) where id = 1 returning key_check", [
    keyId(key),
  ]);
  const expected = rows[0]?.key_check;
  if (expected === keyId(key)) return;
  throw new SetpointError(
    "Invalid",
    `The store's secrets are sealed with the key ${expected}, and this process has the key ${keyId(key)}: set SETPOINT_ENCRYPTION_KEY to the first, or restore the key file of the data folder.`,
  );
}
