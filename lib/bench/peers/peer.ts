/** A job queue that does the equivalent of the engine's trivial work, so that both are measured in one run on one server. */
export interface Peer {
  subject: string;
  /** Brings it up with a worker that calls `handle` once a job, by the job's number. */
  start(handle: (job: number) => void): Promise<RunningPeer>;
}

export interface RunningPeer {
  /** Stores one job; resolves when it is committed. */
  add(job: number): Promise<void>;
  /** Stores jobs `0..count-1` in as few statements as it can. */
  addMany(count: number): Promise<void>;
  /** Whether jobs are stored and not yet recorded as done. */
  open(): Promise<boolean>;
  stop(): Promise<void>;
}
