/** The API over TLS, straight from Node. See README.md. */
import path from "node:path";
import type { Api } from "@/lib/api";
import type { Clock } from "@/lib/clock";
import { asSetpointError, SetpointError } from "@/lib/errors";
import { givenCertificate, ownCertificate, type ServerCertificate } from "./certificates";
import { hostsOf } from "./hosts";
import { listen } from "./server";

export { hostsOf } from "./hosts";

const LOOK_MS = 12 * 3_600_000;

export interface ApiListener {
  port: number;
  /** PEM of whom clients have to trust; absent with a certificate from outside. */
  authority?: string;
  close(): Promise<void>;
}

export interface ApiListenerOptions {
  api: Pick<Api, "handle">;
  port: number;
  host: string;
  /** This machine's name, and the URL that people use. */
  hostName: string;
  publicUrl?: string;
  /** Where the own authority is kept, in a folder `api`. */
  dataDir: string;
  /** Files of a certificate from outside, instead. */
  files?: { certificate: string; key: string };
  clock: Clock;
  log(message: string): void;
}

/** Serves the API over TLS; certificates are looked at again twice a day. Throws Invalid with a plain reason when it cannot. */
export async function openApiListener(options: ApiListenerOptions): Promise<ApiListener> {
  const { api, port, host, clock, log } = options;
  let current = await certificateOf(options);
  const listener = await listen({ api, port, host, tls: current, after: (ms, callback) => clock.after(ms, callback), log }).catch(
    (cause: unknown) => {
      const why = asSetpointError(cause).message;
      throw new SetpointError("Invalid", `The API cannot be served on ${host}:${port} (SETPOINT_API_PORT): ${why}`, { cause });
    },
  );
  let cancel = () => {};
  const look = async () => {
    try {
      const next = await certificateOf(options);
      if (next.certificate !== current.certificate) listener.use(next);
      current = next;
    } catch (error) {
      log(`api listener: the certificate was not renewed: ${asSetpointError(error).message}`);
    }
    cancel = clock.after(LOOK_MS, () => void look());
  };
  cancel = clock.after(LOOK_MS, () => void look());
  return {
    port: listener.port,
    ...(current.authority === undefined ? {} : { authority: current.authority }),
    async close() {
      cancel();
      await listener.close();
    },
  };
}

function certificateOf({ files, dataDir, host, hostName, publicUrl, clock }: ApiListenerOptions): Promise<ServerCertificate> {
  if (files) return givenCertificate(files.certificate, files.key);
  return ownCertificate(path.join(dataDir, "api"), hostsOf(host, hostName, publicUrl), clock.now());
}
