import { systemClock } from "@/lib/clock";

/** Waits until `condition` gives something truthy, looking every 40 ms; fails with `what` after `timeoutMs`. */
export async function until<T>(what: string, condition: () => T | Promise<T>, timeoutMs = 90_000): Promise<NonNullable<T>> {
  const end = systemClock.monotonic() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value as NonNullable<T>;
    if (systemClock.monotonic() > end) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    await systemClock.sleep(40);
  }
}
