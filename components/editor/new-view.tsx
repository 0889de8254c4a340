"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { Answer } from "@/components/layout/answer";
import { useMe, useRefusal } from "@/components/layout/me";
import { PageBody, PageHeader } from "@/components/layout/page-header";
import { EmptyState } from "@/components/layout/states";
import { LinkButton } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import type { KindInfo } from "@/lib/api/contract";
import { queries } from "@/lib/client";
import { newIntent } from "./document";
import { EditorSkeleton } from "./editor-skeleton";
import { IntentEditor } from "./intent-editor";
import { KindChooser } from "./kind-chooser";
import { asObject, withBlankSecrets } from "./schema";

/** Something new: first what it is, then the form from that kind's example. */
export function NewView() {
  const plural = useSearchParams().get("kind");
  const kinds = useQuery(queries.kinds());
  return (
    <PageBody>
      <Answer query={kinds} skeleton={<EditorSkeleton />} errorTitle="The kinds could not be loaded">
        {(list) => <Chosen kinds={list} plural={plural} />}
      </Answer>
    </PageBody>
  );
}

function Chosen({ kinds, plural }: { kinds: readonly KindInfo[]; plural: string | null }) {
  const me = useMe();
  const refusal = useRefusal("edit");
  const kind = kinds.find((candidate) => candidate.plural === plural);
  if (refusal)
    return (
      <>
        <PageHeader title="New resource" />
        <Callout tone="calm" title="You can look, but not create">
          {refusal} to create resources.
        </Callout>
      </>
    );
  if (plural === null || plural === "")
    return (
      <>
        <PageHeader title="New resource" description="What should be there?" />
        <KindChooser kinds={kinds} />
      </>
    );
  if (!kind)
    return (
      <>
        <PageHeader title="New resource" />
        <EmptyState title={`There is no kind called ${plural}`} actions={<LinkButton href="/resources/new">Choose a kind</LinkButton>} />
      </>
    );
  if (!me) return <EditorSkeleton />;
  return (
    <>
      <PageHeader
        title={`New ${kind.name}`}
        description={
          <>
            {kind.description}{" "}
            <Link href="/resources/new" className="text-accent underline underline-offset-2">
              Choose another kind
            </Link>
          </>
        }
      />
      <IntentEditor
        key={kind.plural}
        kind={kind}
        start={newIntent(kind.name, asObject(withBlankSecrets(kind.secretFields, kind.example)) ?? {})}
        user={me.email}
      />
    </>
  );
}
