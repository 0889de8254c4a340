"use client";

import { useMemo } from "react";
import { Callout } from "@/components/ui/callout";
import { type Path, startsWith } from "./document";
import { FormProvider } from "./form/context";
import { ControlSection } from "./form/control-section";
import { AnyField } from "./form/field";
import { Fields } from "./form/group-field";
import type { ObjectNode, SchemaNode } from "./schema";
import type { Editor } from "./state";

/** The document as a form: its name and labels, the kind's own fields, and how it starts. */
export function IntentForm({ editor, readOnly, hostHint }: { editor: Editor; readOnly: boolean; hostHint: string | undefined }) {
  const { value, edit, problems, state, dispatch, context, locked, parsed, schema, purpose } = editor;
  const broken = parsed.faults.length > 0;
  const model = useMemo(
    () => ({
      value,
      edit,
      problems,
      touch: (path: Path) => dispatch({ type: "touched", path }),
      touched: state.touched,
      attempted: state.attempted,
      readOnly: readOnly || broken,
      secretFields: context.secretFields,
      ...(context.stored === undefined ? {} : { stored: context.stored }),
      lockOf: (path: Path) => (locked.some((lock) => startsWith(path, lock)) ? "Cannot change after creation." : undefined),
    }),
    [value, edit, problems, dispatch, state.touched, state.attempted, readOnly, broken, context, locked],
  );
  const metadata = partOf(schema, "metadata");
  const spec = partOf(schema, "spec");
  return (
    <FormProvider model={model}>
      <form className="flex flex-col gap-6" onSubmit={(event) => event.preventDefault()} aria-label="Intent">
        {broken ? (
          <Callout tone="warn" title="The YAML cannot be read right now">
            The form shows what it last said. Put the YAML right to go on here.
          </Callout>
        ) : null}
        {metadata ? (
          <Section title="Name and labels">
            <Fields node={withoutAnnotations(metadata)} path={["metadata"]} />
          </Section>
        ) : null}
        {spec ? (
          <Section title="What should be" {...(hostHint ? { description: hostHint } : {})}>
            {spec.type === "object" ? (
              <Fields node={spec} path={["spec"]} />
            ) : (
              <AnyField node={spec} path={["spec"]} label="Spec" required />
            )}
          </Section>
        ) : null}
        {purpose === "create" && !readOnly ? (
          <Section title="Control">
            <ControlSection />
            <OtherControl schema={schema} />
          </Section>
        ) : null}
      </form>
    </FormProvider>
  );
}

function Section({ title, description, children }: { title: string; description?: string; children: React.ReactNode }) {
  return (
    <section className="flex flex-col gap-4">
      <div>
        <h2 className="font-semibold text-sm">{title}</h2>
        {description ? <p className="text-muted text-xs">{description}</p> : null}
      </div>
      {children}
    </section>
  );
}

function partOf(schema: ObjectNode, key: string): SchemaNode | undefined {
  return schema.properties.find((property) => property.key === key)?.node;
}

/** Annotations are for tools; people find them in the YAML. */
function withoutAnnotations(node: SchemaNode): ObjectNode {
  const properties = node.type === "object" ? node.properties.filter((property) => property.key !== "annotations") : [];
  return { ...(node as ObjectNode), properties };
}

/** What happens to outside things that exist already or are left behind. */
function OtherControl({ schema }: { schema: ObjectNode }) {
  const control = partOf(schema, "control");
  if (control?.type !== "object") return null;
  const rest = control.properties.filter((property) => property.key === "deletionPolicy" || property.key === "adopt");
  return <Fields node={{ ...control, properties: rest }} path={["control"]} />;
}
