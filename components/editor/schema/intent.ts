import type { KindInfo } from "@/lib/api/contract";
import { API_VERSION, labelKeyFault, labelValueFault, nameFault, namespaceFault } from "@/lib/resource";
import { type MapNode, type ObjectNode, readSchema, type SchemaNode, type TextNode } from "./node";

/** Which of the two pages asks: what can be said at creation is more than what can be edited. */
export type Purpose = "create" | "edit";

const facts = { examples: [], nullable: false };

function text(title: string, description: string, rest: Partial<TextNode> = {}): TextNode {
  return { type: "text", title, description, ...facts, ...rest };
}

const LABELS: MapNode = {
  type: "map",
  title: "Labels",
  description: "Short words to find and group by, such as tier: edge.",
  values: text("Value", "", { fault: labelValueFault }),
  keyFault: labelKeyFault,
  ...facts,
};

const ANNOTATIONS: MapNode = {
  type: "map",
  title: "Annotations",
  description: "Free notes on the object; nothing is selected by them.",
  values: text("Value", ""),
  keyFault: labelKeyFault,
  ...facts,
};

const METADATA: ObjectNode = {
  type: "object",
  title: "Name and labels",
  strict: true,
  ...facts,
  properties: [
    {
      key: "name",
      required: true,
      node: text("Name", "Lower case letters, digits, - and . It cannot change later.", { fault: nameFault }),
    },
    {
      key: "namespace",
      required: false,
      node: text("Namespace", "A folder for names. Objects refer only to objects of their own namespace.", {
        fault: namespaceFault,
        default: "default",
      }),
    },
    { key: "labels", required: false, node: LABELS },
    { key: "annotations", required: false, node: ANNOTATIONS },
  ],
};

const CONTROL: ObjectNode = {
  type: "object",
  title: "Control",
  description: "The operator's hand on the loop. It can be changed at any time on the resource's page.",
  strict: true,
  ...facts,
  properties: [
    {
      key: "mode",
      required: false,
      node: { type: "choice", title: "Mode", options: ["Auto", "DryRun", "Observe"], default: "Auto", ...facts },
    },
    {
      key: "paused",
      required: false,
      node: {
        type: "object",
        title: "Paused",
        strict: true,
        ...facts,
        properties: [
          { key: "reason", required: true, node: text("Reason", "Shown to everybody who wonders why nothing happens.", { min: 1 }) },
          { key: "until", required: false, node: text("Until", "ISO 8601; the pause ends by itself then.") },
        ],
      },
    },
    {
      key: "deletionPolicy",
      required: false,
      node: { type: "choice", title: "When deleted", options: ["Delete", "Orphan"], default: "Delete", ...facts },
    },
    {
      key: "adopt",
      required: false,
      node: {
        type: "boolean",
        title: "Adopt",
        description: "Take over what already exists outside and does not carry our mark.",
        ...facts,
      },
    },
  ],
};

function fixed(title: string, value: string): SchemaNode {
  return { type: "choice", title, options: [value], ...facts };
}

/** The schema of the whole document that is edited: the kind's spec within what every object has. */
export function intentSchema(kind: Pick<KindInfo, "name" | "schema">, purpose: Purpose): ObjectNode {
  const control = purpose === "create" ? [{ key: "control", required: false, node: CONTROL }] : [];
  return {
    type: "object",
    strict: true,
    ...facts,
    properties: [
      { key: "apiVersion", required: true, node: fixed("API version", API_VERSION) },
      { key: "kind", required: true, node: fixed("Kind", kind.name) },
      { key: "metadata", required: true, node: METADATA },
      ...control,
      { key: "spec", required: true, node: { ...readSchema(kind.schema), title: "Spec" } },
    ],
  };
}
