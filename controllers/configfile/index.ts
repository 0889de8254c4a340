import { type Controller, defineController, type Kind } from "@/lib/controller";
import type { Files } from "@/lib/providers/files";
import { apply } from "./apply";
import { KIND, type Observed, observe } from "./observe";
import { type FileAction, plan } from "./plan";
import { type ConfigFileSpec, check, schema } from "./schema";

export const kind: Kind<ConfigFileSpec> = {
  name: KIND,
  plural: "configfiles",
  singular: "configfile",
  shortNames: ["cf"],
  description: "A file below the root of files of a host, with its content, mode and owner.",
  schema,
  columns: [
    { name: "Path", path: "spec.path" },
    { name: "Bytes", path: "status.observed.bytes" },
    { name: "Mode", path: "status.observed.mode", priority: 1 },
    { name: "Host", path: "spec.host", priority: 1 },
  ],
  example: { path: "app/app.conf", content: "listen = 8080\n", mode: "0644" },
  hostBound: true,
  immutable: ["path", "host"],
  check,
  claims: ({ spec: { host = "", path } }) => [{ text: `file:${host}:${path}`, field: "spec.path" }],
  // Nothing tells of an edit by hand; a look takes about a millisecond.
  resyncMs: 10_000,
};

/** The kind over the files of this worker's host. */
export default function configFile(providers: { files: Files }): Controller<ConfigFileSpec, Observed, FileAction> {
  const { files } = providers;
  return defineController({
    kind,
    observe: (resource, context) => observe(files, resource, context),
    plan,
    apply: (action, resource, context) => apply(files, action, resource, context),
  });
}
