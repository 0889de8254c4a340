/** setpoint kubeconfig: what kubectl and other clients need to come here. */
import { stringify } from "yaml";
import { Failure } from "../failure";
import { textAt } from "../objects";
import type { Session } from "../session";

/** Where a server says that it serves the API over TLS, and whom to trust there. */
const CLUSTER = "/api/console/cluster";

export async function kubeconfig(session: Session): Promise<number> {
  const { token, namespace } = session.client.connection;
  if (token === undefined) throw new Failure("a kubeconfig holds a token: give one with --token or SETPOINT_TOKEN");
  const { server, authority } = await clusterOf(session);
  const certificate = authority === undefined ? {} : { "certificate-authority-data": Buffer.from(authority).toString("base64") };
  session.terminal.out(
    stringify(
      {
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "setpoint", cluster: { server, ...certificate } }],
        users: [{ name: "setpoint", user: { token } }],
        contexts: [{ name: "setpoint", context: { cluster: "setpoint", user: "setpoint", namespace } }],
        "current-context": "setpoint",
      },
      { lineWidth: 0 },
    ),
  );
  return 0;
}

/** The TLS listener: the one that was named, else the one that the server names. Asked in any case: no file is printed that does not work. */
async function clusterOf({ client, terminal }: Session): Promise<{ server: string; authority?: string }> {
  const { server, ca } = client.connection;
  await client.ask("/apis");
  const named = server.href.replace(/\/$/, "");
  if (server.protocol === "https:") return { server: named, ...(ca === undefined ? {} : { authority: ca }) };
  const listener = await client.find(CLUSTER);
  const found = textAt(listener, "server");
  const authority = textAt(listener, "certificateAuthority");
  if (found !== "") return { server: found, ...(authority === "" ? {} : { authority }) };
  terminal.err(
    "Warning: this is the plain http port, and the server has no TLS listener (SETPOINT_API_PORT). kubectl sends no token over http.\n",
  );
  return { server: named };
}
