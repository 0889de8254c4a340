/** Streams that end when the client leaves or the process stops, and that never run ahead of the client. */
import type { Call } from "./call";

/** A stream of text; the source is asked for more only as fast as the client reads. `left` is called when the client has gone. */
export function streamOf(source: AsyncGenerator<string>, left: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Nothing on the wire but the headers: a client knows that it is connected before the first event, however long that takes.
        controller.enqueue(new Uint8Array(0));
      },
      async pull(controller) {
        for (;;) {
          const { done, value } = await source.next();
          if (done) return controller.close();
          if (value === "") continue;
          return controller.enqueue(encoder.encode(value));
        }
      },
      async cancel() {
        // First what it may be waiting for: a generator ends only where it yields.
        left();
        await source.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}

export interface Wakeups {
  /** Waits for a sign of change, or `ms`, or less. False when it is time to end. A sign that came since the last wait counts. */
  next(ms: number): Promise<boolean>;
  stop(): void;
}

/** A credential or a right that has gone ends its streams within this. */
const RECHECK_MS = 30_000;

/** Signs of change for one stream, until its client leaves, the process stops, or the client may no longer read it. Counts as an open stream. */
export function wakeups(call: Call): Wakeups {
  const { signal, clock } = call.dependencies;
  const ends = [call.request.signal, call.closing];
  const release = call.openStream();
  let checkedAt = clock.monotonic();
  let signed = false;
  let stopped = false;
  let wake: (() => void) | undefined;
  const unsubscribe = signal.subscribe((uid) => {
    // A request for a look at one object is no change.
    if (uid !== undefined) return;
    signed = true;
    wake?.();
  });
  const stop = () => {
    stopped = true;
    unsubscribe();
    release();
    for (const end of ends) end.removeEventListener("abort", stop);
    wake?.();
  };
  for (const end of ends) end.addEventListener("abort", stop);
  if (ends.some((end) => end.aborted)) stop();
  return {
    stop,
    async next(ms) {
      if (stopped) return false;
      if (!signed)
        await new Promise<void>((resolve) => {
          const cancel = clock.after(Math.min(ms, RECHECK_MS), resolve);
          wake = () => {
            cancel();
            resolve();
          };
        });
      wake = undefined;
      signed = false;
      if (stopped || clock.monotonic() - checkedAt < RECHECK_MS) return !stopped;
      checkedAt = clock.monotonic();
      return (await call.stillAllowed()) && !stopped;
    },
  };
}
