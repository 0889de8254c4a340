/**
 * Values at rest. AES-256-GCM under one key of this installation; every value is bound to the place it stands in (kind, namespace,
 * name and path), so that a sealed value copied elsewhere does not open. Plaintext never appears in an error.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { SetpointError } from "@/lib/errors";
import type { SealedValue, Sealer } from "@/lib/policies/admission";

export { isSealed, type SealedValue, type Sealer, sealContext } from "@/lib/policies/admission";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key of its own for each purpose, from the one that is configured. */
export function deriveKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "setpoint", purpose, 32));
}

/** Public name of a key: tells which key sealed a value, and whether the key at hand is the installation's. */
export function keyId(key: Buffer): string {
  return deriveKey(key, "key-id").subarray(0, 6).toString("hex");
}

/** The sealer of an installation. `key` has 32 bytes. */
export function createSealer(key: Buffer): Sealer {
  if (key.length !== 32) throw new SetpointError("Invalid", "The encryption key must have 32 bytes.");
  const id = keyId(key);
  const cipherKey = deriveKey(key, "seal");
  const digestKey = deriveKey(key, "digest");
  const digest = (plaintext: string, context: string) =>
    `hmac-sha256:${createHmac("sha256", digestKey).update(`${context}\n`).update(plaintext).digest("hex").slice(0, 16)}`;

  return {
    seal(plaintext, context): SealedValue {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return { sealed: `v1.${id}.${nonce.toString("base64url")}.${body.toString("base64url")}`, digest: digest(plaintext, context) };
    },
    open(value, context) {
      const [version, sealedBy, nonce = "", body = ""] = value.sealed.split(".");
      if (version !== "v1") throw new SetpointError("InternalError", `The sealed value at ${context} has an unknown format.`);
      if (sealedBy !== id)
        throw new SetpointError(
          "ServiceUnavailable",
          `The value at ${context} was sealed with the key ${sealedBy}, and this process has the key ${id}: set SETPOINT_ENCRYPTION_KEY to the first.`,
        );
      const bytes = Buffer.from(body, "base64url");
      try {
        const decipher = createDecipheriv("aes-256-gcm", cipherKey, Buffer.from(nonce, "base64url"));
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new SetpointError("InternalError", `The sealed value at ${context} was changed, or belongs elsewhere.`, { cause });
      }
    },
  };
}

/** Compares two secrets without telling by time where they differ, or how long the right one is. */
export function sameSecret(a: string, b: string): boolean {
  const digestOf = (text: string) => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digestOf(a), digestOf(b));
}
