/**
 * An installation's own certificate authority and the server certificate that it signs, kept in one folder. Clients trust `ca.crt`;
 * the certificate below it is renewed without their noticing.
 */
import { randomBytes, webcrypto, X509Certificate } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { dateOf, type Instant } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
const SERVER_DAYS = 365;
/** A certificate with less than this left is renewed. */
const RENEW_DAYS = 30;
/** Clocks of clients may be behind. */
const BACKDATE_MS = 3_600_000;

const KEYS = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNING = { name: "ECDSA", hash: "SHA-256" } as const;

/** PEM texts. */
export interface ServerCertificate {
  certificate: string;
  key: string;
  /** Whom clients have to trust; absent for a certificate that was given from outside. */
  authority?: string;
  /** What the certificate is for, when it is ours. */
  hosts: string[];
}

interface Pair {
  certificate: string;
  key: string;
}

/**
 * The certificates in `folder`, made on first use; the server's again when it ends soon or is for other hosts, the authority's only
 * when it ends soon. Keys are files of mode 0600.
 */
export async function ownCertificate(folder: string, hosts: readonly string[], now: Instant): Promise<ServerCertificate> {
  await mkdir(folder, { recursive: true });
  const wanted = [...new Set(hosts.map((host) => host.toLowerCase()))].sort();
  let authority = await readPair(folder, "ca");
  if (!authority || !lasts(authority.certificate, now)) authority = await store(folder, "ca", await newAuthority(now));
  let server = await readPair(folder, "server");
  if (!server || !lasts(server.certificate, now) || !fits(server.certificate, authority.certificate, wanted))
    server = await store(folder, "server", await newServer(authority, wanted, now));
  return { ...server, authority: authority.certificate, hosts: wanted };
}

/** A certificate and its key from files that were named in the configuration. Throws Invalid for what is neither. */
export async function givenCertificate(certificateFile: string, keyFile: string): Promise<ServerCertificate> {
  const read = async (file: string, what: string) => {
    try {
      return await readFile(file, "utf8");
    } catch (cause) {
      throw new SetpointError("Invalid", `The ${what} ${file} cannot be read.`, { cause });
    }
  };
  const [certificate, key] = [await read(certificateFile, "certificate"), await read(keyFile, "key")];
  return { certificate, key, hosts: [] };
}

async function readPair(folder: string, name: string): Promise<Pair | undefined> {
  try {
    const [certificate, key] = await Promise.all([".crt", ".key"].map((end) => readFile(path.join(folder, `${name}${end}`), "utf8")));
    return certificate && key ? { certificate, key } : undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The key first: a certificate is never there without it. */
async function store(folder: string, name: string, pair: Pair): Promise<Pair> {
  for (const [end, content, mode] of [
    [".key", pair.key, 0o600],
    [".crt", pair.certificate, 0o644],
  ] as const) {
    const file = path.join(folder, `${name}${end}`);
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, content, { mode, flag: "wx" });
    await chmod(draft, mode);
    await rename(draft, file);
  }
  return pair;
}

function lasts(pem: string, now: Instant): boolean {
  const parsed = parse(pem);
  return parsed !== undefined && Date.parse(parsed.validTo) - now > RENEW_DAYS * DAY_MS && Date.parse(parsed.validFrom) <= now;
}

function fits(pem: string, authority: string, hosts: readonly string[]): boolean {
  const parsed = parse(pem);
  const issuer = parse(authority);
  if (!parsed || !issuer || !parsed.verify(issuer.publicKey)) return false;
  const names = (parsed.subjectAltName ?? "").split(", ").map((name) => name.replace(/^(DNS|IP Address):/, "").toLowerCase());
  return JSON.stringify(names.map(plainAddress).sort()) === JSON.stringify(hosts.map(plainAddress).sort());
}

/** One spelling for each address. */
const plainAddress = (host: string) => (net.isIPv6(host) ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host);

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // A damaged file is made again, as a missing one.
    return undefined;
  }
}

const serial = () => `4${randomBytes(15).toString("hex")}`;
const validity = (now: Instant, days: number) => ({ notBefore: dateOf(now - BACKDATE_MS), notAfter: dateOf(now + days * DAY_MS) });

/** Loaded when a certificate is to be made, and after what it needs to be there first. */
async function library() {
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

async function newAuthority(now: Instant): Promise<Pair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(KEYS, true, ["sign", "verify"]);
  const usage = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    // Its own name for each: two installations' authorities are not mistaken for one.
    name: `CN=Setpoint API ${randomBytes(4).toString("hex")}`,
    ...validity(now, AUTHORITY_DAYS),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(usage.keyCertSign | usage.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await pemOf(keys.privateKey) };
}

async function newServer(authority: Pair, hosts: readonly string[], now: Instant): Promise<Pair> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await webcrypto.subtle.generateKey(KEYS, true, ["sign", "verify"]);
  const usage = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: "CN=setpoint-api",
    issuer: issuer.subject,
    ...validity(now, SERVER_DAYS),
    publicKey: keys.publicKey,
    signingKey: await keyOf(authority.key),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(usage.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: net.isIP(host) ? ("ip" as const) : ("dns" as const), value: host })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await pemOf(keys.privateKey) };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

async function keyOf(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  return webcrypto.subtle.importKey("pkcs8", bytes, KEYS, false, ["sign"]);
}
