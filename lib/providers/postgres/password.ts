import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);
const ITERATIONS = 4096;
const VERIFIER = /^SCRAM-SHA-256\$(\d{1,8}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)$/;

const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (data: Buffer) => createHash("sha256").update(data).digest();

/** What clients do to a password before using it (RFC 4013), for text beyond ASCII. */
function prepared(password: string): string {
  return password
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu, " ")
    .replace(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|[\u200b-\u200d]|\u2060|[\ufe00-\ufe0f]|\ufeff/gu, "")
    .normalize("NFKC");
}

async function keysOf(password: string, salt: Buffer, iterations: number): Promise<{ stored: Buffer; server: Buffer }> {
  const salted = await derive(prepared(password), salt, iterations, 32, "sha256");
  return { stored: sha256(hmac(salted, "Client Key")), server: hmac(salted, "Server Key") };
}

/** A verifier made here, so that the password itself is in no statement and in no server's log. */
export async function makeVerifier(password: string): Promise<string> {
  const salt = randomBytes(16);
  const { stored, server } = await keysOf(password, salt, ITERATIONS);
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${stored.toString("base64")}:${server.toString("base64")}`;
}

/** Whether a stored verifier is of this password. An older md5 one never is: it is replaced by a SCRAM one. */
export async function verifierMatches(verifier: string | null, password: string): Promise<boolean> {
  const match = VERIFIER.exec(verifier ?? "");
  const iterations = Number(match?.[1]);
  if (!match || iterations < 1 || iterations > 1_000_000) return false;
  const expected = Buffer.from(match[3] ?? "", "base64");
  const { stored } = await keysOf(password, Buffer.from(match[2] ?? "", "base64"), iterations);
  return stored.length === expected.length && timingSafeEqual(stored, expected);
}

/**
 * What the mark keeps where verifiers cannot be read. Everybody in the database can read a comment, so it is slow to guess and
 * salted with the managing user's own password, which readers do not know.
 */
export async function passwordDigest(password: string, uid: string, ownPassword: string | undefined): Promise<string> {
  const salt = createHmac("sha256", ownPassword ?? "")
    .update(uid)
    .digest();
  return (await derive(password, salt, 20_000, 16, "sha256")).toString("hex");
}
