/** The sample fleet, declared through the API like everything else: admitted, owned by its field manager, its claims taken. */
import type { Api, Authenticator } from "@/lib/api";
import type { Logger } from "@/lib/observability";
import type { Principal } from "@/lib/policies/access";
import type { JsonObject } from "@/lib/resource";
import type { ResourceStore } from "@/lib/store";
import type { Config } from "./config";

const BY = "demo";
const NAMESPACE = "/apis/setpoint.dev/v1alpha1/namespaces/default";

const principal: Principal = { name: BY, email: "", role: "administrator", via: "token" };
/** Whoever asks is the loader: for an API that nobody else can reach. */
export const demoAuth: Authenticator = { authenticate: async () => ({ principal }), sameOrigin: () => true };

/** Declares the sample fleet in a store that never held anything; a fleet that somebody changed or deleted is left alone. Throws when one is refused. */
export async function loadDemo(
  config: Pick<Config, "hostName">,
  resources: Pick<ResourceStore, "currentRevision">,
  api: Pick<Api, "handle">,
  log: Pick<Logger, "info">,
): Promise<void> {
  if ((await resources.currentRevision()) !== "0") return;
  const query = new URLSearchParams({ fieldManager: BY, message: "Sample fleet" });
  for (const { plural, object } of demoFleet(config)) {
    const answer = await api.handle(
      new Request(`http://localhost${NAMESPACE}/${plural}?${query}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(object),
      }),
    );
    if (!answer.ok) throw new Error(`The sample fleet could not be declared: ${await answer.text()}`);
  }
  log.info("Declared the sample fleet.");
}

/** A fleet that shows every state on one machine. */
function demoFleet(config: Pick<Config, "hostName">): { plural: string; object: JsonObject }[] {
  const host = config.hostName;
  const labels = { team: "storefront", tier: "edge" };
  return [
    {
      plural: "replicasets",
      object: {
        metadata: { name: "web", labels },
        spec: {
          host,
          replicas: 3,
          template: { command: ["sample-service"], env: { VERSION: "1" } },
          probe: { http: { port: 18080, path: "/healthz" } },
        },
      },
    },
    {
      plural: "replicasets",
      object: {
        metadata: { name: "worker", labels: { team: "storefront", tier: "batch" } },
        spec: { host, replicas: 2, template: { command: ["sample-service"] } },
      },
    },
    {
      plural: "replicasets",
      object: {
        metadata: { name: "nightly", labels: { team: "data", tier: "batch" } },
        spec: { host, replicas: 1, template: { command: ["sample-service"], env: { FAIL: "1" } } },
      },
    },
    {
      plural: "configfiles",
      object: {
        metadata: { name: "motd", labels },
        spec: { host, path: "etc/motd", content: "This machine is kept by Setpoint.\nEdit intent, not the file.\n", mode: "0644" },
      },
    },
    {
      plural: "configfiles",
      object: {
        metadata: { name: "feature-flags", labels },
        spec: { host, path: "etc/flags.json", content: '{\n  "newCheckout": true,\n  "darkMode": "beta"\n}\n' },
        control: { mode: "DryRun" },
      },
    },
    {
      plural: "configfiles",
      object: {
        metadata: { name: "banner", labels },
        spec: { host, path: "etc/banner.txt", content: "Back at nine.\n" },
        control: { paused: { reason: "Waiting for the new logo" } },
      },
    },
    {
      plural: "secrets",
      object: {
        metadata: { name: "reports-db", labels: { team: "data" } },
        spec: { values: { password: "change-me-once-the-server-exists" } },
      },
    },
    {
      plural: "postgresservers",
      object: {
        metadata: { name: "reports", labels: { team: "data" } },
        spec: { host: "127.0.0.1", port: 65432, user: "setpoint", passwordFrom: { secret: "reports-db", key: "password" } },
      },
    },
    {
      plural: "postgresroles",
      object: { metadata: { name: "analyst", labels: { team: "data" } }, spec: { server: "reports", login: true, connectionLimit: 5 } },
    },
  ];
}
