import net from "node:net";
import os from "node:os";

const EVERYWHERE = new Set(["0.0.0.0", "::"]);

/** The names and addresses that clients of this machine may use: its own, the loopback's, and what is listened on. */
export function hostsOf(listenHost: string, hostName: string, publicUrl?: string): string[] {
  const listened = EVERYWHERE.has(listenHost) ? addresses() : [listenHost];
  const outside = publicUrl === undefined ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")];
  return [...new Set(["localhost", "127.0.0.1", "::1", hostName, ...listened, ...outside])].filter(
    (host) => net.isIP(host) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host),
  );
}

function addresses(): string[] {
  // Addresses of one link only are of no use to others.
  return Object.values(os.networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, address }) => !internal && !address.startsWith("fe80:")).map(({ address }) => address),
  );
}
