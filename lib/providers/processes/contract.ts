import type { Instant } from "@/lib/clock";
import type { SetpointError } from "@/lib/errors";

/** What tells a process from every other, a later one with the same pid included. */
export interface Identity {
  pid: number;
  /** Field 22 of /proc/<pid>/stat: clock ticks from boot to start. */
  startTicks: number;
  /** /proc/sys/kernel/random/boot_id. */
  bootId: string;
}

/** What a process was started with, as far as this installation recorded it. */
export interface Launch {
  command: string[];
  env: Record<string, string>;
}

/** A living process that carries the mark of one object's slot. */
export interface Instance extends Identity {
  ordinal: number;
  /** The template it was started from; null when its mark names none. */
  template: string | null;
  startedAt: Instant;
  /** The PORT it was given; null when none. */
  port: number | null;
  /**
   * It leads its own process group, as everything started here does. False: a leftover, such as the child of an instance that was
   * killed, or something started by hand; it does not count as the slot's instance.
   */
  leads: boolean;
  launch: Launch | null;
}

/** How the newest ended process of a slot ended. Known only for those that this process, or the one before it, saw end. */
export interface Exit {
  ordinal: number;
  template: string | null;
  code: number | null;
  signal: string | null;
  at: Instant;
  /** How many in a row, of the same template, ended within seconds of their start and not by our hand. */
  crashes: number;
  /** The telling one of its last lines of output, at most 200 characters; empty when it wrote nothing. */
  output: string;
}

/** One object's slots, as they are. */
export interface Sighting {
  instances: Instance[];
  exits: Exit[];
  /** Slots that have a folder: output, records and working directory. */
  folders: number[];
}

export interface StartRequest {
  uid: string;
  ordinal: number;
  /** For people, e.g. `web-2`. */
  name: string;
  template: string;
  command: string[];
  env: Record<string, string>;
  port: number | null;
  /** Watch it for a moment and fail if it ends at once: for slots whose last instance did. */
  settle: boolean;
}

export interface StopRequest {
  uid: string;
  ordinal: number;
  name: string;
  instance: Identity & { leads: boolean };
  graceSeconds: number;
  /** The slot is given up: its folder goes too. */
  forget: boolean;
}

export interface ProbeRequest {
  instance: Identity;
  port: number;
  /** Absent: a TCP connection is enough. */
  httpPath?: string;
  timeoutMs: number;
}

/** Null: it passes. Else why not, and since when every look found it so. */
export type ProbeResult = { fault: string; failingSince: Instant } | null;

/** Processes of this machine that carry this installation's mark. Nothing else is ever signalled. */
export interface Processes {
  /** Every living process and slot of one object. Reads only; the look starts after the call. */
  look(uid: string, signal: AbortSignal): Promise<Sighting>;
  /** Why this machine does not run such a command; undefined when it does. */
  refusal(command: readonly string[]): SetpointError | undefined;
  /** Starts the slot's process, unless one lives. Returns once it has been executed. */
  start(request: StartRequest, signal: AbortSignal): Promise<Identity>;
  /** Ends exactly this process and its group; gone already is success. */
  stop(request: StopRequest, signal: AbortSignal): Promise<void>;
  /** Removes the folder of a slot that nothing runs in. */
  clear(uid: string, ordinal: number): Promise<void>;
  probe(request: ProbeRequest, signal: AbortSignal): Promise<ProbeResult>;
  /** Says which object lost a process; a hint that may be lost. Returns the unsubscribe. */
  subscribe(wake: (uid: string) => void): () => void;
}
