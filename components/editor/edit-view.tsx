"use client";

import { useQuery } from "@tanstack/react-query";
import { Answer } from "@/components/layout/answer";
import { useMe, useRefusal } from "@/components/layout/me";
import { PageBody, PageHeader } from "@/components/layout/page-header";
import { LinkButton } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { asApiError, type ObjectRef, queries, resourceHref } from "@/lib/client";
import { intentOf } from "./document";
import { EditorSkeleton } from "./editor-skeleton";
import { IntentEditor } from "./intent-editor";

/** The intent of one resource, to be changed. */
export function EditView({ target }: { target: ObjectRef }) {
  const object = useQuery(queries.object(target));
  const kinds = useQuery(queries.kinds());
  const me = useMe();
  const refusal = useRefusal("edit");
  const gone = object.data !== undefined && object.error !== null && asApiError(object.error).status === 404;
  return (
    <PageBody>
      <PageHeader
        title={`Edit ${target.name}`}
        description={
          <>
            {object.data?.kind ?? target.plural} in {target.namespace}
          </>
        }
        actions={<LinkButton href={resourceHref(target)}>Back to the resource</LinkButton>}
      />
      {gone ? (
        <Callout tone="bad" className="mb-4" title="It was deleted while you edit">
          Saving is not possible any more. What you typed is still here and in the YAML, to be copied.
        </Callout>
      ) : null}
      <Answer
        query={gone ? { ...object, error: null } : object}
        skeleton={<EditorSkeleton />}
        errorTitle="The resource could not be loaded"
      >
        {(current) => (
          <Answer query={kinds} skeleton={<EditorSkeleton />} errorTitle="The kinds could not be loaded">
            {(list) => {
              const kind = list.find((candidate) => candidate.plural === target.plural);
              if (!kind || !me) return <EditorSkeleton />;
              const lock = current.metadata.deletionTimestamp ? "It is being deleted: nothing is left" : refusal;
              return (
                <IntentEditor
                  kind={kind}
                  current={current}
                  start={intentOf(current.kind, current)}
                  user={me.email}
                  {...(lock ? { refusal: lock } : {})}
                />
              );
            }}
          </Answer>
        )}
      </Answer>
    </PageBody>
  );
}
