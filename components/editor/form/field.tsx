"use client";

import type { Json } from "@/lib/resource";
import { type Path, pathId, valueAt } from "../document";
import { isSecretPath, type SchemaNode } from "../schema";
import { BooleanField } from "./boolean-field";
import { ChoiceField } from "./choice-field";
import { ChoiceListField } from "./choice-list-field";
import { useForm } from "./context";
import { GroupField } from "./group-field";
import { ListField } from "./list-field";
import { MapField } from "./map-field";
import { PlainField } from "./plain-field";
import { SecretField } from "./secret-field";
import { UnionField } from "./union-field";

/** What every field is given. */
export interface FieldProps<Node extends SchemaNode = SchemaNode> {
  node: Node;
  path: Path;
  label: string;
  required: boolean;
  /** The label is said but not drawn: the field stands in a row that already says what it is. */
  bare?: boolean;
}

/** The value of a field, and how it is set; undefined removes it. */
export function useValue(path: Path): Json | undefined {
  return valueAt(useForm().value, path);
}

/** One field of the form, whatever its schema is. */
export function AnyField(props: FieldProps) {
  const { secretFields } = useForm();
  return (
    <div id={pathId(props.path)} className="min-w-0">
      {isSecretPath(secretFields, props.path) ? <SecretField {...props} /> : <ByType {...props} />}
    </div>
  );
}

function ByType({ node, ...rest }: FieldProps) {
  switch (node.type) {
    case "object":
      return <GroupField node={node} {...rest} />;
    case "map":
      return <MapField node={node} {...rest} />;
    case "list":
      return node.items.type === "choice" ? (
        <ChoiceListField node={node} choice={node.items} {...rest} />
      ) : (
        <ListField node={node} {...rest} />
      );
    case "union":
      return <UnionField node={node} {...rest} />;
    case "choice":
      return <ChoiceField node={node} {...rest} />;
    case "boolean":
      return <BooleanField node={node} {...rest} />;
    default:
      return <PlainField node={node} {...rest} />;
  }
}
