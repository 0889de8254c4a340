"use client";

import { asObject, type ObjectNode } from "../schema";
import { AnyField, type FieldProps, useValue } from "./field";
import { Group } from "./frame";
import { labelOfField } from "./label";

/** An object: its fields in the schema's order. */
export function GroupField(props: FieldProps<ObjectNode>) {
  const value = useValue(props.path);
  return (
    <Group {...props} present={value !== undefined}>
      <Fields node={props.node} path={props.path} />
      <Strangers {...props} />
    </Group>
  );
}

/** The fields of an object without a frame. */
export function Fields({ node, path }: Pick<FieldProps<ObjectNode>, "node" | "path">) {
  return node.properties.map((property) => (
    <AnyField
      key={property.key}
      node={property.node}
      path={[...path, property.key]}
      label={labelOfField(property.key, property.node)}
      required={property.required}
    />
  ));
}

/** Fields that the document holds and the schema does not know: said, not hidden. */
function Strangers({ node, path }: FieldProps<ObjectNode>) {
  const map = asObject(useValue(path));
  const strangers = Object.keys(map ?? {}).filter((key) => !node.properties.some((property) => property.key === key));
  if (strangers.length === 0) return null;
  return <p className="text-bad text-xs">Not a known field: {strangers.join(", ")}. Remove or rename it in the YAML.</p>;
}
