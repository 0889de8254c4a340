/** What the client takes, in its order of preference. */
import { SetpointError } from "@/lib/errors";

/** Another shape of the same answer, asked for with `as=` in the Accept header; `group/version` is what it is written in. */
export interface Accepted {
  format: "json" | "yaml";
  /** E.g. `Table`; absent for the object itself. */
  as?: string;
  /** E.g. `meta.k8s.io/v1`. */
  apiVersion?: string;
  /** The media type as the client wrote it, to be repeated in the answer where that is the rule. */
  type: string;
}

const FORMATS: Record<string, Accepted["format"]> = {
  "application/json": "json",
  "application/*": "json",
  "*/*": "json",
  "application/yaml": "yaml",
};
const MOST = 50;

/** Types that are not served are left out. Without a header everything is accepted. */
export function acceptedBy(header: string | null): Accepted[] {
  if (header === null || header.trim() === "") return [{ format: "json", type: "application/json" }];
  return header
    .split(",")
    .slice(0, MOST)
    .flatMap((text) => entryOf(text))
    .sort((one, other) => other.weight - one.weight)
    .map(({ weight: _weight, ...entry }) => entry);
}

function entryOf(text: string): (Accepted & { weight: number })[] {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part) => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
  const lower = type.toLowerCase();
  const format = Object.hasOwn(FORMATS, lower) ? FORMATS[lower] : undefined;
  const quality = Number(parameters.get("q") ?? "1");
  const weight = quality >= 0 && quality <= 1 ? quality : 1;
  if (!format || weight === 0) return [];
  const as = parameters.get("as");
  const apiVersion = `${parameters.get("g") ?? ""}/${parameters.get("v") ?? ""}`;
  return [{ format, weight, type: text.trim().slice(0, 200), ...(as ? { as, apiVersion } : {}) }];
}

/** The first that is the object itself or one of `shapes` (`<as>.<group>/<version>`). Throws NotAcceptable. */
export function chosen(accepts: readonly Accepted[], shapes: readonly string[] = []): Accepted {
  const found = accepts.find(({ as, apiVersion }) => as === undefined || shapes.includes(`${as}.${apiVersion}`));
  if (found) return found;
  throw new SetpointError("NotAcceptable", "only the following media types are accepted: application/json, application/yaml");
}
