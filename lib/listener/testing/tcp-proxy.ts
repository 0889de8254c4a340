/** A TCP proxy that can cut what is open and refuse what is new; for tests only. */
import { once } from "node:events";
import net from "node:net";

export interface TcpProxy {
  port: number;
  /** Ends every open connection as a lost network would. */
  cut(): void;
  /** While true, new connections are ended at once. */
  refuse(value: boolean): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const open = new Set<net.Socket>();
  let refuses = false;
  const server = net.createServer((client) => {
    client.on("error", () => undefined);
    if (refuses) return void client.destroy();
    const upstream = net.connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined).on("close", () => open.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    cut,
    refuse: (value) => {
      refuses = value;
    },
    async close() {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
