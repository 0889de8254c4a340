import { SetpointError } from "@/lib/errors";

/** Error number of the operating system, if it is one. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

const WORDS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOSPC: "no space left on the device",
  EDQUOT: "disk quota exceeded",
  EROFS: "read-only file system",
  EIO: "input/output error",
  EMFILE: "too many open files",
  ENFILE: "too many open files on this host",
};

/** What the operating system said, as a reason of the catalogue. `what` is the deed and the path below the root, e.g. `write etc/app.conf`. */
export function fileFault(thrown: unknown, what: string): SetpointError {
  if (thrown instanceof SetpointError) return thrown;
  const code = errnoOf(thrown);
  const said = code === undefined ? String(thrown instanceof Error ? thrown.message : thrown) : `${WORDS[code] ?? "failed"} (${code})`;
  const message = `cannot ${what}: ${said}`;
  if (code === "EACCES" || code === "EPERM") return new SetpointError("AccessDenied", message, { cause: thrown });
  if (code === "ENAMETOOLONG") return new SetpointError("InvalidSpec", message, { cause: thrown });
  if (code === "ENOTSUP" || code === "EOPNOTSUPP") return new SetpointError("Unsupported", message, { cause: thrown });
  return new SetpointError("TargetError", message, { cause: thrown });
}

/** Ends an operation between two steps once its deadline has passed or the worker stops. */
export function checkSignal(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new SetpointError("TargetTimeout", `cannot ${what}: the deadline passed`, { cause: signal.reason });
}
