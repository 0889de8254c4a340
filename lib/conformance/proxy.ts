/** A TCP proxy before a PostgreSQL server that records what is asked and makes trouble on demand. */
import { once } from "node:events";
import net from "node:net";
import { systemClock } from "@/lib/clock";

export interface RecordingProxy {
  port: number;
  /** Connections taken since the start. */
  readonly connections: number;
  /** Bytes to and from the server since the start. */
  readonly bytes: { up: number; down: number };
  /** Statements sent since the start or the last `forget`, in order. */
  readonly statements: string[];
  /** Those of them that can change something; transaction control is none. */
  writes(): string[];
  forget(): void;
  /** Ends every open connection at once. */
  cut(): void;
  /** While true new connections are ended at once, and open ones are cut. */
  refuse(refusing: boolean): void;
  /** Holds back what the server answers by this much. */
  delay(ms: number): void;
  /** Swallows all that the server answers from now on; what is asked still arrives there. */
  mute(muted: boolean): void;
  /**
   * Cuts the connection over which the next matching statement comes, once: `before` it gets to the server, or `after` the server
   * has done it, with the answer lost, or with `half` of the answer passed on. `onlyAfterWrite`: in a transaction that wrote before.
   */
  cutAt(pattern: RegExp, when: Trap["when"], onlyAfterWrite?: boolean): void;
  /** Connections that `cutAt` cut since the start. */
  readonly trapped: number;
  /** Answers come in pieces of this many bytes, `everyMs` apart; 0 bytes ends it. */
  drip(bytes: number, everyMs: number): void;
  close(): Promise<void>;
}

const READS = /^\s*(select|show|begin|start transaction|commit|rollback|set (?!local role)|reset|explain|deallocate|discard)\b/i;
/** A query with named parts reads, unless one of the parts changes rows. */
const READS_WITH = /^\s*with\b(?![\s\S]*\b(insert\s+into|update|delete\s+from|merge\s+into)\b)/i;

/** Whether a statement may change something at the server. */
export function isWrite(statement: string): boolean {
  return statement.trim() !== "" && !READS.test(statement) && !READS_WITH.test(statement);
}

/** Reads the client's side of the protocol: simple queries (Q) and prepared ones (P). */
export class StatementReader {
  private rest: Buffer = Buffer.alloc(0);
  private started = false;

  constructor(private readonly onStatement: (text: string) => void) {}

  push(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      // The first message has no type byte; a request for TLS (8 bytes, its own code) may come before it.
      const head = this.started ? 1 : 0;
      if (this.rest.length < head + 4) return;
      const length = this.rest.readInt32BE(head);
      if (length < 4 || this.rest.length < head + length) return;
      this.message(head === 0 ? "" : String.fromCharCode(this.rest[0] ?? 0), this.rest.subarray(head + 4, head + length));
      this.rest = this.rest.subarray(head + length);
    }
  }

  private message(type: string, body: Buffer): void {
    if (type === "") this.started = body.length !== 4;
    else if (type === "Q") this.onStatement(textAt(body, 0));
    else if (type === "P") this.onStatement(textAt(body, body.indexOf(0) + 1));
  }
}

function textAt(body: Buffer, start: number): string {
  const end = body.indexOf(0, start);
  return body.toString("utf8", start, end < 0 ? body.length : end);
}

interface Trap {
  pattern: RegExp;
  when: "before" | "after" | "half";
  onlyAfterWrite: boolean;
}

interface State {
  connections: number;
  refusing: boolean;
  delayMs: number;
  muted: boolean;
  pieceBytes: number;
  pieceMs: number;
  trapped: number;
  trap?: Trap;
}

/** Passes a chunk of an answer on, late or in pieces. */
async function passOn(client: net.Socket, chunk: Buffer, { delayMs, pieceBytes, pieceMs }: State): Promise<void> {
  if (delayMs > 0) await systemClock.sleep(delayMs);
  const size = pieceBytes || chunk.length;
  for (let at = 0; at < chunk.length && client.writable; at += size) {
    client.write(chunk.subarray(at, at + size));
    if (pieceMs > 0) await systemClock.sleep(pieceMs);
  }
}

/** Listens on a free port of loopback and passes everything on to `port` on `host`. */
export async function startProxy({ host, port }: { host: string; port: number }): Promise<RecordingProxy> {
  const state: State = { connections: 0, refusing: false, delayMs: 0, muted: false, pieceBytes: 0, pieceMs: 0, trapped: 0 };
  const bytes = { up: 0, down: 0 };
  const statements: string[] = [];
  const open = new Set<net.Socket>();
  const server = net.createServer((client) => {
    state.connections += 1;
    if (state.refusing) {
      client.on("error", () => undefined);
      client.resetAndDestroy();
      return;
    }
    const upstream = net.connect({ host, port });
    let sprung: Trap["when"] | undefined;
    let wrote = false;
    const reader = new StatementReader((text) => {
      statements.push(text);
      wrote = isWrite(text) || (wrote && !/^\s*begin\b/i.test(text));
      if (!state.trap?.pattern.test(text) || (state.trap.onlyAfterWrite && !wrote)) return;
      state.trapped += 1;
      sprung = state.trap.when;
      state.trap = undefined;
    });
    for (const socket of [client, upstream]) {
      open.add(socket);
      // An error is followed by close, which ends the other side.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => {
      bytes.up += chunk.length;
      reader.push(chunk);
      if (sprung === "before") client.destroy();
      else upstream.write(chunk);
    });
    let answers = Promise.resolve();
    upstream.on("data", (chunk) => {
      bytes.down += chunk.length;
      // The server answers once it is done, and one connection asks one thing at a time.
      if (sprung === "half") return void client.end(chunk.subarray(0, chunk.length >> 1));
      if (sprung === "after") return void client.destroy();
      if (state.muted) return;
      if (state.delayMs === 0 && state.pieceBytes === 0) return void (client.writable && client.write(chunk));
      answers = answers.then(() => passOn(client, chunk, state));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    get connections() {
      return state.connections;
    },
    ...{ bytes, statements, cut },
    writes: () => statements.filter(isWrite),
    forget: () => void statements.splice(0),
    refuse(refusing) {
      state.refusing = refusing;
      if (refusing) cut();
    },
    delay(ms) {
      state.delayMs = ms;
    },
    mute(muted) {
      state.muted = muted;
    },
    cutAt(pattern, when, onlyAfterWrite = false) {
      state.trap = { pattern, when, onlyAfterWrite };
    },
    get trapped() {
      return state.trapped;
    },
    drip(pieceBytes, pieceMs) {
      Object.assign(state, { pieceBytes, pieceMs });
    },
    async close() {
      cut();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
}
