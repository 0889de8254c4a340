import { z } from "zod";
import { LARGEST_CONTENT, pathFault } from "@/lib/providers/files";

const HIGHEST_ID = 2 ** 32 - 2;
const OWNER = /^[A-Za-z0-9_][A-Za-z0-9_.@-]*(:[A-Za-z0-9_][A-Za-z0-9_.@-]*)?$/;

export const schema = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(1024)
    .describe("Where the file is, relative to the root of files of its host. Cannot be changed later.")
    .meta({ title: "Path", examples: ["app/app.conf"] }),
  content: z
    .string()
    .max(LARGEST_CONTENT)
    .describe("The whole content, at most 1 MiB of UTF-8 text.")
    .meta({ title: "Content", multiline: true, examples: ["listen = 8080\n"] }),
  mode: z
    .string()
    .regex(/^0?[0-7]{3}$/, "must be three octal digits with or without a leading 0, e.g. 0644")
    .optional()
    .describe("Permission bits in octal. Left out: a new file gets 0644, and what an existing file has is kept and not compared.")
    .meta({ title: "Mode", examples: ["0644"] }),
  owner: z
    .string()
    .max(128)
    .regex(OWNER, "must be 'user' or 'user:group', names or numbers")
    .optional()
    .describe("'user' or 'user:group', names or numbers. What is left out (both, or the group) is kept and not compared.")
    .meta({ title: "Owner", examples: ["root:root"] }),
  host: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe("The machine whose file it is. Defaults to the one that serves Setpoint. Cannot be changed later.")
    .meta({ title: "Host" }),
});

export type ConfigFileSpec = z.infer<typeof schema>;

/** Rules that a schema cannot say. */
export function check(spec: ConfigFileSpec): { field: string; message: string }[] {
  const faults: { field: string; message: string }[] = [];
  const path = pathFault(spec.path);
  if (path !== undefined) faults.push({ field: "path", message: path });
  const content = Buffer.from(spec.content, "utf8");
  if (content.length > LARGEST_CONTENT) faults.push({ field: "content", message: `must be no more than ${LARGEST_CONTENT} bytes` });
  if (content.toString("utf8") !== spec.content) faults.push({ field: "content", message: "must be text that UTF-8 can hold" });
  const tooHigh = spec.owner?.split(":").some((word) => /^\d+$/.test(word) && Number(word) > HIGHEST_ID);
  if (tooHigh) faults.push({ field: "owner", message: `numbers must be no more than ${HIGHEST_ID}` });
  return faults;
}
