/** setpoint kubeconfig: what kubectl and other clients need to come here. */
import { stringify } from "yaml";
import { Failure } from "../failure";
import type { Session } from "../session";

export async function kubeconfig({ client, terminal }: Session): Promise<number> {
  const { server, token, ca, namespace } = client.connection;
  if (token === undefined) throw new Failure("a kubeconfig holds a token: give one with --token or SETPOINT_TOKEN");
  // Asked once, so that a file is never printed that does not work.
  await client.ask("/apis");
  if (server.protocol === "http:")
    terminal.err(
      "Warning: this is the plain http port. kubectl sends no token over http: name the TLS listener with --server https://… and --ca.\n",
    );
  const address = server.href.replace(/\/$/, "");
  const certificate = ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") };
  terminal.out(
    stringify(
      {
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "setpoint", cluster: { server: address, ...certificate } }],
        users: [{ name: "setpoint", user: { token } }],
        contexts: [{ name: "setpoint", context: { cluster: "setpoint", user: "setpoint", namespace } }],
        "current-context": "setpoint",
      },
      { lineWidth: 0 },
    ),
  );
  return 0;
}
