import type { Cancel, Clock } from "@/lib/clock";
import { asSetpointError } from "@/lib/errors";

/** Does `work` every `ms`, one run at a time, until cancelled. A run that fails is logged; the next comes all the same. */
export function repeat(clock: Clock, ms: number, work: () => Promise<void>, log: (message: string) => void): Cancel {
  let cancelled = false;
  let cancel: Cancel = () => {};
  const next = () => {
    if (cancelled) return;
    cancel = clock.after(ms, () => {
      work()
        .catch((error: unknown) => log(`engine: ${asSetpointError(error).message}`))
        .finally(next);
    });
  };
  next();
  return () => {
    cancelled = true;
    cancel();
  };
}
