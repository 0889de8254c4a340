/** PostgreSQL servers and their roles. See README.md for what this guarantees. */
import type { Clock } from "@/lib/clock";
import { change } from "./change";
import { Connections } from "./connections";
import { look } from "./look";
import type { LookRequest, RoleChange, RoleLook, ServerFacts, Target } from "./model";
import { readServer } from "./server";

export { formatMark, type Mark, parseMark } from "./mark";
export * from "./model";
export { IDENTIFIER_BYTES, identifierFault, objectText, plainIdentifier } from "./sql";

export interface CallOptions {
  signal: AbortSignal;
}

/** All calls throw only SetpointError with a target reason, and no message ever holds a password. */
export interface Postgres {
  /** Connects and reads version and own rights. */
  server(target: Target, options: CallOptions): Promise<ServerFacts>;
  /** Everything about one role that can be read, in read-only transactions (one per database that matters). */
  look(target: Target, request: LookRequest, options: CallOptions): Promise<RoleLook>;
  /** One transaction in one database: all of the change or nothing. Ownership is checked again inside. Repeating it does no harm. */
  change(target: Target, change: RoleChange, options: CallOptions): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export function createPostgres(options: { clock: Clock; installation: string }): Postgres {
  const connections = new Connections(options.clock);
  return {
    server: (target, { signal }) => connections.use(target, target.database, signal, readServer),
    look: (target, request, { signal }) => look(connections, target, request, signal),
    change: (target, wanted, { signal }) =>
      connections.use(target, wanted.database, signal, (client) => change(client, target, wanted, options.installation)),
    close: () => connections.close(),
  };
}
