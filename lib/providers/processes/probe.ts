import http from "node:http";
import net from "node:net";
import type { Clock, Instant } from "@/lib/clock";
import type { Identity, ProbeRequest, ProbeResult } from "./contract";
import { identityText } from "./proc";

const HOST = "127.0.0.1";
const IN_FLIGHT = 32;
const REMEMBERED = 10_000;

/** Asks instances how they are, at most 32 at once, and remembers since when each has been failing. */
export class Prober {
  readonly #clock: Clock;
  readonly #failingSince = new Map<string, Instant>();
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async probe(request: ProbeRequest, signal: AbortSignal): Promise<ProbeResult> {
    await this.#enter();
    try {
      signal.throwIfAborted();
      const fault = await ask(request, this.#clock, signal);
      return this.#remember(identityText(request.instance), fault);
    } finally {
      this.#inFlight--;
      this.#waiting.shift()?.();
    }
  }

  forget(instance: Identity): void {
    this.#failingSince.delete(identityText(instance));
  }

  async #enter(): Promise<void> {
    while (this.#inFlight >= IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight++;
  }

  #remember(key: string, fault: string | undefined): ProbeResult {
    if (fault === undefined) {
      this.#failingSince.delete(key);
      return null;
    }
    const failingSince = this.#failingSince.get(key) ?? this.#clock.now();
    if (this.#failingSince.size >= REMEMBERED) this.#failingSince.clear();
    this.#failingSince.set(key, failingSince);
    return { fault, failingSince };
  }
}

/** Undefined when it passes. The sentences hold no times and no counts: the same fault reads the same at every look. */
function ask(request: ProbeRequest, clock: Clock, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const { port, httpPath, timeoutMs } = request;
    const socket =
      httpPath === undefined
        ? net.connect({ host: HOST, port })
        : http.get({ host: HOST, port, path: httpPath, agent: false, headers: { "user-agent": "setpoint-probe" } });
    const end = (settle: () => void) => {
      cancel();
      signal.removeEventListener("abort", onAbort);
      settle();
      socket.destroy();
    };
    const answer = (fault: string | undefined) => end(() => resolve(fault));
    const onAbort = () => end(() => reject(signal.reason));
    const cancel = clock.after(timeoutMs, () => answer(`no answer on port ${port} within ${timeoutMs / 1000} s`));
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("error", (error) => answer(connectFault(error, port)));
    if (socket instanceof net.Socket) socket.on("connect", () => answer(undefined));
    else
      socket.on("response", ({ statusCode = 0 }) =>
        answer(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP ${statusCode} from port ${port}${httpPath}`),
      );
  });
}

function connectFault(error: Error, port: number): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "ECONNREFUSED") return `nothing listens on port ${port}`;
  if (code.startsWith("HPE_")) return `port ${port} does not answer in HTTP`;
  return `the connection to port ${port} broke${code ? ` (${code})` : ""}`;
}
