import type { Clock } from "@/lib/clock";
import { asSetpointError, SetpointError } from "@/lib/errors";

/** How work with a deadline ended; `abandoned` is work that goes on all the same. */
export type Settled<T> = { value: T } | { error: SetpointError; abandoned?: Promise<unknown> };

/** Work under way. Its signal is made when somebody asks for it: most looks end without. */
export class Call {
  private stopped?: SetpointError;
  private controller?: AbortController;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.stopped) this.controller.abort(this.stopped);
    return this.controller.signal;
  }

  stop(why: SetpointError): void {
    this.stopped ??= why;
    this.controller?.abort(this.stopped);
  }
}

/** Runs `work` with a deadline that is enforced even when the work ignores its signal. Never rejects. */
export function withDeadline<T>(
  timeoutMs: number,
  parent: AbortSignal,
  clock: Pick<Clock, "after">,
  work: (call: Call) => Promise<T>,
): Promise<Settled<T>> {
  return new Promise((resolve) => {
    const call = new Call();
    let over = false;
    const end = (how: Settled<T>) => {
      over = true;
      cancel();
      parent.removeEventListener("abort", leave);
      resolve(how);
    };
    const stop = (why: SetpointError) => {
      if (over) return;
      end({ error: why, abandoned: running.catch(() => undefined) });
      call.stop(why);
    };
    const leave = () => stop(new SetpointError("ServiceUnavailable", "The worker is stopping."));
    const cancel = clock.after(timeoutMs, () => stop(new SetpointError("TargetTimeout", `No answer within ${timeoutMs / 1000} s.`)));
    parent.addEventListener("abort", leave, { once: true });
    const running = begun(work, call);
    running.then(
      (value) => over || end({ value }),
      (error: unknown) => over || end({ error: asSetpointError(error, "TargetError") }),
    );
  });
}

/** A synchronous throw becomes a rejection too. */
async function begun<T>(work: (call: Call) => Promise<T>, call: Call): Promise<T> {
  return work(call);
}
