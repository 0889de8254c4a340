import type { Kind } from "@/lib/controller";
import type { Json, JsonObject } from "@/lib/resource";
import { mapSecretFields } from "./secrets";

/** Where `kubectl apply` keeps the whole object that was applied. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

const isMap = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** The annotations of a kind with secrets, without the copy of their values that kubectl keeps: the fields stay, so that it can tell which were removed. */
export function withoutSecretCopies(
  annotations: Record<string, string>,
  { secretFields }: Pick<Kind<JsonObject>, "secretFields">,
): Record<string, string> {
  const kept = Object.hasOwn(annotations, LAST_APPLIED) ? annotations[LAST_APPLIED] : undefined;
  if (kept === undefined || !secretFields?.length) return annotations;
  const { [LAST_APPLIED]: _copy, ...others } = annotations;
  const applied = parsed(kept);
  if (!isMap(applied) || !isMap(applied.spec)) return others;
  const spec = mapSecretFields(applied.spec, secretFields, (value) => (typeof value === "string" ? "" : null));
  return { ...others, [LAST_APPLIED]: `${JSON.stringify({ ...applied, spec })}\n` };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // What cannot be read cannot be cleaned: it is left out.
    return undefined;
  }
}
