import { SetpointError } from "@/lib/errors";
import { labelKeyFault, labelValueFault } from "./names";

/** One requirement of a label selector, as in Kubernetes. */
export interface LabelRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  values: string[];
}

/** One requirement of a field selector. */
export interface FieldRequirement {
  path: string;
  operator: "=" | "!=";
  value: string;
}

/** Splits on commas that are not inside parentheses. */
function terms(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== "");
}

/** Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws BadRequest naming the term that is wrong. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  const requirement = (key: string, operator: LabelRequirement["operator"], values: string[]): LabelRequirement => {
    const fault = labelKeyFault(key) ?? values.map(labelValueFault).find((f) => f !== undefined);
    if (fault !== undefined) throw new SetpointError("BadRequest", `labelSelector: "${key}": ${fault}`);
    return { key, operator, values };
  };
  return terms(text).map((term) => {
    const set = /^(\S+)\s+(in|notin)\s+\(([^()]*)\)$/.exec(term);
    if (set)
      return requirement(
        set[1] ?? "",
        set[2] === "in" ? "In" : "NotIn",
        (set[3] ?? "").split(",").map((v) => v.trim()),
      );
    const equals = /^([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)$/.exec(term);
    if (equals) return requirement(equals[1] ?? "", equals[2] === "!=" ? "NotIn" : "In", [equals[3] ?? ""]);
    if (/^!\s*[^\s=!()]+$/.test(term)) return requirement(term.slice(1).trim(), "DoesNotExist", []);
    if (/^[^\s=!()]+$/.test(term)) return requirement(term, "Exists", []);
    throw new SetpointError("BadRequest", `labelSelector: cannot parse "${term}"`);
  });
}

/** Parses `metadata.name=a,status.state!=Failed`. Throws BadRequest for anything else. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return terms(text).map((term) => {
    const match = /^([A-Za-z0-9.]+)\s*(==|=|!=)\s*(.*)$/.exec(term);
    if (!match) throw new SetpointError("BadRequest", `fieldSelector: cannot parse "${term}"`);
    return { path: match[1] ?? "", operator: match[2] === "!=" ? "!=" : "=", value: match[3] ?? "" };
  });
}

/** Whether labels satisfy every requirement. NotIn also matches an absent key, as in Kubernetes. */
export function matchesLabels(labels: Record<string, string> | undefined, requirements: readonly LabelRequirement[]): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (operator === "Exists") return value !== undefined;
    if (operator === "DoesNotExist") return value === undefined;
    const listed = value !== undefined && values.includes(value);
    return operator === "In" ? listed : !listed;
  });
}
