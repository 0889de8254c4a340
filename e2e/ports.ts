import { once } from "node:events";
import net from "node:net";

/** A port of this machine that nobody listens on. */
export async function closedPort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}
