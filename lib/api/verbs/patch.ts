/** PATCH: one function per content type. */
import { SetpointError } from "@/lib/errors";
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, mediaType } from "../body";
import type { Call } from "../call";
import { flag, optionsFault } from "../query";
import { apply } from "./apply";
import { patchByJson } from "./patch-json";
import { patchByMerge } from "./patch-merge";

type Patch = (call: Call) => Promise<Response>;

const TYPES: Record<string, Patch> = {
  [APPLY_PATCH]: apply,
  [JSON_PATCH]: patchByJson,
  [MERGE_PATCH]: patchByMerge,
};

/** What clients are told. */
const ACCEPTED = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];

export async function patch(call: Call): Promise<Response> {
  const type = mediaType(call.request.headers);
  const run = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (!run)
    throw new SetpointError(
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED.join(", ")}`,
    );
  if (type !== APPLY_PATCH && flag(call.query, "force"))
    throw optionsFault("PatchOptions", "force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch");
  return run(call);
}
