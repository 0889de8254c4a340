/** What a work is: something measured on one PostgreSQL server, in databases of its own. */

export interface Measurement {
  metric: string;
  value: number;
  unit: string;
  aim?: string;
  /** Whose figure it is, where a peer does the same work; Setpoint's own otherwise. */
  subject?: string;
}

/** A measurement with where and of what it is. */
export interface Result extends Measurement {
  store: string;
  work: string;
}

export interface Work {
  /** What `--only` names. */
  name: string;
  /** What is done, as the table says it. */
  title: string;
  measure(bench: Bench): Promise<Measurement[]>;
}

/** Where a work may measure. */
export interface Bench {
  /** Gives `use` the URL of a new, empty database on the server that is measured, and drops it afterwards. */
  withDatabase<T>(use: (databaseUrl: string) => Promise<T>): Promise<T>;
  /** Says what could not be measured here, and why. */
  missing(reason: string): void;
}

/** The value below which a part `q` of the samples lies. Sorts in place. */
export function quantile(samples: number[], q: number): number {
  samples.sort((a, b) => a - b);
  return samples[Math.min(samples.length - 1, Math.floor(samples.length * q))] ?? Number.NaN;
}
