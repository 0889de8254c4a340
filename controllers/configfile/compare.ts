import { createHash } from "node:crypto";
import type { Actual } from "@/lib/providers/files";
import { type Comparison, compareField, type Json, type Resource } from "@/lib/resource";
import type { Observed } from "./observe";
import type { ConfigFileSpec } from "./schema";

/** Contents up to here are shown whole. */
const SHOWN_WHOLE = 64 * 1024;
const SHOWN_START = 4 * 1024;

export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

export function modeText(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** A text as the pages show it: whole, or its start with size and digest. Two that differ are shown differently. */
function shownText(text: string): Json {
  const bytes = Buffer.byteLength(text);
  if (bytes <= SHOWN_WHOLE) return text;
  return { bytes, sha256: sha256(text), start: text.slice(0, SHOWN_START) };
}

function shownActual(actual: Actual): Json | undefined {
  if (actual.type === "absent") return undefined;
  if (actual.type !== "file") return { type: actual.type };
  if (actual.text !== undefined) return shownText(actual.text);
  return { bytes: actual.bytes, ...(actual.sha256 === undefined ? {} : { sha256: actual.sha256 }), note: "binary or too large to show" };
}

function ownerField(wished: string, actual: Actual, owner: NonNullable<Observed["owner"]>): Comparison {
  if (actual.type !== "file") return compareField("spec.owner", wished, undefined);
  const same = actual.uid === owner.uid && (owner.gid === undefined || actual.gid === owner.gid);
  if (same) return compareField("spec.owner", wished, wished);
  const spelled = owner.actual === wished ? undefined : owner.actual;
  return compareField("spec.owner", wished, spelled ?? `uid ${actual.uid}, gid ${actual.gid}`);
}

/** Whose the path is, in words. */
function ownership({ look }: Observed): string | undefined {
  const { holder, owned, unfinished } = look;
  if (!holder) return undefined;
  if (!holder.mine) return `ConfigFile ${holder.namespace}/${holder.name} of installation ${holder.installation}`;
  if (unfinished) return "unfinished";
  return owned ? "ours" : undefined;
}

/** Every managed field, desired against actual. */
export function compare({ spec }: Resource<ConfigFileSpec>, observed: Observed): Comparison[] {
  const { actual } = observed.look;
  const fields = [compareField("spec.content", shownText(spec.content), shownActual(actual))];
  if (spec.mode !== undefined) {
    const mode = actual.type === "file" ? modeText(actual.mode) : undefined;
    fields.push(compareField("spec.mode", modeText(Number.parseInt(spec.mode, 8)), mode));
  }
  if (spec.owner !== undefined && observed.owner) fields.push(ownerField(spec.owner, actual, observed.owner));
  fields.push(compareField("ownership", "ours", ownership(observed)));
  return fields;
}
