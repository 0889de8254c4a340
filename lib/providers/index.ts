/**
 * The outside systems that kinds act on. Each folder has a contract (the interface) and the real adapter; a kind is given
 * the contracts it names and never makes an adapter itself. `lib/runtime` is where they are made.
 */
import type { Files } from "./files";
import type { Postgres } from "./postgres";
import type { Processes } from "./processes";

export interface Providers {
  processes: Processes;
  files: Files;
  postgres: Postgres;
}
