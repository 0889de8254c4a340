import { z } from "zod";
import { environmentFault } from "@/lib/providers/processes";

const port = z.int().min(1).max(65535);

const template = z.strictObject({
  command: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(100)
    .describe("Executable and arguments; no shell. The executable must be allowed on the host: an absolute path, or its bare name.")
    .meta({ title: "Command", examples: [["sample-service"]] }),
  env: z
    .record(z.string().min(1).max(128), z.string().max(32_768))
    .optional()
    .describe("Environment variables of every instance. Not for secrets: everybody who may read this object sees them.")
    .meta({ title: "Environment", examples: [{ VERSION: "1" }] }),
  stopGraceSeconds: z
    .int()
    .min(0)
    .max(300)
    .default(10)
    .describe("Seconds between SIGTERM and SIGKILL when an instance is ended.")
    .meta({ title: "Grace when stopping (seconds)" }),
});

const probe = z.strictObject({
  http: z
    .strictObject({
      port: port.describe("Port of instance 0; instance n is given, and asked at, this port + n.").meta({ title: "Port" }),
      path: z
        .string()
        .regex(/^\/[\x21-\x7e]*$/, "must start with / and hold visible ASCII characters only")
        .max(1024)
        .default("/")
        .describe("Any answer from 200 to 399 passes.")
        .meta({ title: "Path", examples: ["/healthz"] }),
    })
    .optional()
    .describe("Passes when a GET is answered with 200 to 399.")
    .meta({ title: "HTTP" }),
  tcp: z
    .strictObject({ port: port.describe("Port of instance 0; instance n is given, and asked at, this port + n.").meta({ title: "Port" }) })
    .optional()
    .describe("Passes when a connection is accepted.")
    .meta({ title: "TCP" }),
  periodSeconds: z
    .int()
    .min(1)
    .max(60)
    .default(2)
    .describe("Seconds until an instance that does not pass is asked again; grows to 15 while it keeps failing.")
    .meta({ title: "Period (seconds)" }),
  timeoutSeconds: z.int().min(1).max(10).default(2).describe("Seconds an answer may take.").meta({ title: "Time-out (seconds)" }),
  replaceAfterSeconds: z
    .int()
    .min(10)
    .max(3600)
    .optional()
    .describe("Replace an instance that has not passed for this long, one at a time. Unset: it is shown as failing and never replaced.")
    .meta({ title: "Replace after (seconds)" }),
});

export const schema = z.strictObject({
  replicas: z
    .int()
    .min(0)
    .max(200)
    .default(1)
    .describe("How many instances run.")
    .meta({ title: "Replicas", examples: [3] }),
  template: template.describe("What every instance is.").meta({ title: "Template" }),
  probe: probe
    .optional()
    .describe("How an instance is asked whether it is ready; without one, running for a second is enough.")
    .meta({ title: "Probe" }),
  host: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe("The machine the instances run on; the one that serves you unless given. Never changes.")
    .meta({ title: "Host" }),
});

export type ReplicaSetSpec = z.infer<typeof schema>;

/** Port of instance 0, when there is a probe. */
export function basePort({ probe }: ReplicaSetSpec): number | null {
  return probe?.http?.port ?? probe?.tcp?.port ?? null;
}

/** What the schema cannot say. */
export function check(spec: ReplicaSetSpec): { field: string; message: string }[] {
  const faults: { field: string; message: string }[] = [];
  for (const name of Object.keys(spec.template.env ?? {})) {
    const fault = environmentFault(name);
    if (fault !== undefined) faults.push({ field: `template.env.${name}`, message: fault });
  }
  if (!spec.probe) return faults;
  if ((spec.probe.http === undefined) === (spec.probe.tcp === undefined))
    faults.push({ field: "probe", message: "must have exactly one of http and tcp" });
  const last = (basePort(spec) ?? 0) + Math.max(spec.replicas, 1) - 1;
  if (last > 65535)
    faults.push({
      field: `probe.${spec.probe.http ? "http" : "tcp"}.port`,
      message: `instance ${spec.replicas - 1} would be on port ${last}; the highest is 65535`,
    });
  if (spec.template.env && Object.hasOwn(spec.template.env, "PORT"))
    faults.push({ field: "template.env.PORT", message: "is given by the probe: port of the probe + ordinal" });
  return faults;
}
