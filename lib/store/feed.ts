import { SetpointError } from "@/lib/errors";

/** A position in the feed from which it cannot be read on: `oldest` is the oldest change there is, or the newest where the position was never given out. */
export function tooOld(position: string, oldest: string): SetpointError {
  return new SetpointError("Expired", `too old resource version: ${position} (${oldest})`);
}

export function isExpired(error: unknown): boolean {
  return error instanceof SetpointError && error.reason === "Expired";
}

/** Throws Expired when changes after that position are no longer kept, so that nobody takes what is left for all there was. */
export function refuseTooOld(position: string, oldest: string): void {
  if (BigInt(position) < BigInt(oldest) - 1n) throw tooOld(position, oldest);
}
