import type { Cancel, Clock } from "@/lib/clock";
import { asSetpointError, SetpointError } from "@/lib/errors";
import { Bag, type Placed } from "./bag";

/** How work with a deadline ended; `abandoned` is work that goes on all the same. */
export type Settled<T> = { value: T } | { error: SetpointError; abandoned?: Promise<unknown> };

interface Listener extends Placed {
  tell(): void;
}

/** Tells work under way to stop, once. An AbortSignal would do the same, but what was taken off one goes on pointing at what came after it. */
export class Stop {
  private readonly listeners = new Bag<Listener>();
  stopped = false;

  /** One that is stopped when the signal is aborted. */
  static with(signal: AbortSignal): Stop {
    const stop = new Stop();
    signal.addEventListener("abort", () => stop.stop(), { once: true });
    return stop;
  }

  on(tell: () => void): Cancel {
    const listener = { tell, place: -1 };
    this.listeners.add(listener);
    return () => this.listeners.remove(listener);
  }

  stop(): void {
    this.stopped = true;
    for (const listener of [...this.listeners]) {
      this.listeners.remove(listener);
      listener.tell();
    }
  }
}

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
  worker: Stop,
  clock: Pick<Clock, "after">,
  work: (call: Call) => Promise<T>,
): Promise<Settled<T>> {
  return new Promise((resolve) => {
    const call = new Call();
    let over = false;
    const end = (how: Settled<T>) => {
      over = true;
      cancel();
      stay();
      resolve(how);
    };
    const stop = (why: SetpointError) => {
      if (over) return;
      end({ error: why, abandoned: running.catch(() => undefined) });
      call.stop(why);
    };
    const cancel = clock.after(timeoutMs, () => stop(new SetpointError("TargetTimeout", `No answer within ${timeoutMs / 1000} s.`)));
    const stay = worker.on(() => stop(new SetpointError("ServiceUnavailable", "The worker is stopping.")));
    const running = begun(work, call);
    running.then(
      (value) => over || end({ value }),
      (error: unknown) => over || end({ error: asSetpointError(error, "TargetError") }),
    );
  });
}

/** A synchronous throw becomes a rejection too. */
function begun<T>(work: (call: Call) => Promise<T>, call: Call): Promise<T> {
  try {
    return work(call);
  } catch (error) {
    return Promise.reject(error);
  }
}
