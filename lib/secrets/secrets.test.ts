import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSealer, keyId, sameSecret } from ".";

const key = randomBytes(32);
const sealer = createSealer(key);

describe("a sealed value", () => {
  it("opens to what was sealed, in its own place only", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), fc.string(), (text, here, there) => {
        const sealed = sealer.seal(text, here);
        expect(sealer.open(sealed, here)).toBe(text);
        if (here !== there) expect(() => sealer.open(sealed, there)).toThrow(/changed, or belongs elsewhere/);
      }),
    );
  });

  it("does not open once a bit of it is changed", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (text, position) => {
        const sealed = sealer.seal(text, "a");
        const [version, id, nonce, body = ""] = sealed.sealed.split(".");
        const bytes = Buffer.from(body, "base64url");
        const at = position % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        expect(() => sealer.open({ ...sealed, sealed: [version, id, nonce, bytes.toString("base64url")].join(".") }, "a")).toThrow();
      }),
    );
  });

  it("looks different every time, while its digest is the same for the same text in the same place", () => {
    const [one, two] = [sealer.seal("x", "a"), sealer.seal("x", "a")];
    expect(one.sealed).not.toBe(two.sealed);
    expect(one.digest).toBe(two.digest);
    expect(sealer.seal("x", "b").digest).not.toBe(one.digest);
    expect(createSealer(randomBytes(32)).seal("x", "a").digest).not.toBe(one.digest);
  });

  it("names the key that is missing, and never the text", () => {
    const other = randomBytes(32);
    const sealed = createSealer(other).seal("canary", "a");
    expect(() => sealer.open(sealed, "a")).toThrow(keyId(other));
    expect(() => sealer.open(sealed, "a")).not.toThrow(/canary/);
    expect(() => createSealer(randomBytes(16))).toThrow("32 bytes");
  });
});

it("secrets are the same only if they are", () => {
  expect(sameSecret("a", "a")).toBe(true);
  expect(sameSecret("a", "b")).toBe(false);
  expect(sameSecret("a", "aa")).toBe(false);
});
