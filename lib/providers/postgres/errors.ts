import { type Reason, SetpointError } from "@/lib/errors";

/** SQLSTATE, or its first two characters, to the word of the catalogue. The exact one wins. */
const BY_STATE: Record<string, Reason> = {
  "08": "Unreachable",
  "57P01": "Unreachable",
  "57P02": "Unreachable",
  "57P03": "Unreachable",
  "57014": "TargetTimeout",
  "28": "AccessDenied",
  "42501": "AccessDenied",
  "53300": "Throttled",
  "53": "TargetError",
  "55P03": "TargetTimeout",
  "2BP01": "InUse",
  "55006": "InUse",
  "42704": "DependencyNotReady",
  "3D000": "DependencyNotReady",
  "3F000": "DependencyNotReady",
  "42P01": "DependencyNotReady",
  "25006": "Unreachable",
  "40": "TargetError",
  "55": "TargetError",
  "57": "TargetError",
  "58": "TargetError",
  XX: "TargetError",
};

const BY_CODE: Record<string, Reason> = {
  ECONNREFUSED: "Unreachable",
  ECONNRESET: "Unreachable",
  ENOTFOUND: "Unreachable",
  EAI_AGAIN: "Unreachable",
  EHOSTUNREACH: "Unreachable",
  ENETUNREACH: "Unreachable",
  EPIPE: "Unreachable",
  ETIMEDOUT: "TargetTimeout",
};

function textOf(thrown: unknown, key: string): string {
  if (typeof thrown !== "object" || thrown === null) return "";
  const value = Object.entries(thrown).find(([name]) => name === key)?.[1];
  return typeof value === "string" ? value : "";
}

/**
 * What went wrong, in the catalogue's words. `where` is host and port; the server's own message is quoted for errors about
 * statements only (they are made of names, never of values) and never for connecting.
 */
export function asTargetError(thrown: unknown, where: string): SetpointError {
  if (thrown instanceof SetpointError) return thrown;
  const code = textOf(thrown, "code");
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const reason = (err: Reason, text: string) => new SetpointError(err, text, { cause: thrown });
  if (/^[0-9A-Z]{5}$/.test(code)) {
    const mapped = BY_STATE[code] ?? BY_STATE[code.slice(0, 2)] ?? "Rejected";
    const detail = mapped === "InUse" ? textOf(thrown, "detail").split("\n").slice(0, 20).join("; ") : "";
    return reason(mapped, `${where}: ${message}${detail === "" ? "" : ` (${detail})`}`);
  }
  const known = BY_CODE[code];
  if (known === "TargetTimeout" || /timeout|timed out/i.test(message)) return reason("TargetTimeout", `${where} did not answer in time`);
  if (known) return reason(known, `${where} cannot be reached (${code})`);
  if (/connection terminated|connection ended|not queryable|client was closed/i.test(message))
    return reason("Unreachable", `${where} closed the connection`);
  if (/password must be a string|no password/i.test(message))
    return reason("AccessDenied", `${where} asks for a password, and none is given`);
  if (/SSL|TLS|certificate|self.signed|altnames/i.test(message)) return reason("Unreachable", `${where}: ${message}`);
  return reason("TargetError", `${where}: the server answered in an unexpected way`);
}
