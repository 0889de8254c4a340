import { SetpointError } from "@/lib/errors";
import { BLANK, ownedPart } from "@/lib/ownership";
import { admitCreate, parseMetadata } from "@/lib/policies/admission";
import { GROUP, type JsonObject } from "@/lib/resource";
import { readObject } from "../body";
import type { Call } from "../call";
import { claimsOf, told, trackedFields } from "../ownership";
import { presentOne } from "../present";
import { dryRunOf, messageOf } from "../query";
import { answer } from "../shapes";

const SUFFIX = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
/** A generated name is taken rarely; so many times in a row never. */
const TRIES = 5;

export async function create(call: Call): Promise<Response> {
  const dryRun = dryRunOf(call);
  const message = messageOf(call.query);
  const document = await readObject(call);
  const { name, prefix } = wantedName(document);
  for (let attempt = 1; ; attempt++) {
    const chosen = name ?? generate(call, prefix);
    call.address = { ...call.address, name: chosen };
    try {
      const resource = await store(call, document, chosen, { dryRun, message });
      return answer(call, await presentOne(call, resource), 201);
    } catch (error) {
      // What it claims is somebody else's: no other name helps.
      if (!(error instanceof SetpointError) || error.reason !== "AlreadyExists" || error.causes.length > 0) throw told(call, error);
      if (name !== undefined || attempt === TRIES)
        throw new SetpointError("AlreadyExists", `${call.kind.plural}.${GROUP} "${chosen}" already exists`);
    }
  }
}

function store(call: Call, document: JsonObject, name: string, { dryRun, message }: { dryRun: boolean; message: string }) {
  const { spec, control, slice, labels, annotations, finalizers, ownerReferences } = admitCreate(document, call.admission(name));
  const key = { ...call.key, name };
  const after = ownedPart({ metadata: { labels, annotations, finalizers, ownerReferences }, spec, control });
  return call.dependencies.resources.create(
    {
      ...key,
      slice,
      labels,
      annotations,
      finalizers,
      ownerReferences,
      spec,
      control,
      managedFields: trackedFields(call, call.kind, BLANK, after),
      ...claimsOf(call.kind, key, spec),
    },
    call.actor,
    message,
    call.audit("create", key, message === "" ? {} : { message }),
    { dryRun },
  );
}

/** `metadata.name`, or the prefix of `metadata.generateName`. What else is wrong with metadata is admission's to say. */
function wantedName(document: JsonObject): { name?: string; prefix: string } {
  const { metadata } = parseMetadata(document.metadata);
  if (metadata.name) return { name: metadata.name, prefix: "" };
  return metadata.generateName ? { prefix: metadata.generateName } : { name: metadata.name ?? "", prefix: "" };
}

function generate(call: Call, prefix: string): string {
  const letters = Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX[Math.floor(call.dependencies.clock.random() * SUFFIX.length)]);
  return `${prefix.slice(0, 253 - SUFFIX_LENGTH)}${letters.join("")}`;
}
