"use client";

import { useQuery } from "@tanstack/react-query";
import { Answer } from "@/components/layout/answer";
import { AbsoluteTime } from "@/components/layout/time";
import { Card, CardBody, CardHeader } from "@/components/ui/card";
import { DescriptionList } from "@/components/ui/description-list";
import { Skeleton } from "@/components/ui/skeleton";
import type { Me } from "@/lib/api/contract";
import { queries } from "@/lib/client";

/** What runs here, and as whom. */
export function AboutCard() {
  const query = useQuery(queries.me());
  return (
    <Card aria-labelledby="about">
      <CardHeader id="about" title="About" />
      <CardBody>
        <Answer query={query} skeleton={<Skeleton className="h-36" />} errorTitle="What runs here could not be loaded">
          {(me) => <DescriptionList items={factsOf(me)} />}
        </Answer>
      </CardBody>
    </Card>
  );
}

function factsOf(me: Me) {
  return [
    { term: "Version", value: <span className="nums">Setpoint {me.version}</span> },
    { term: "Served by host", value: me.host },
    { term: "Server time", value: <AbsoluteTime at={me.serverTime} /> },
    { term: "Signed in as", value: `${me.name} (${me.email})` },
    { term: "Role", value: me.role },
    { term: "You may", value: rightsOf(me) },
    { term: "Licence", value: "Apache-2.0" },
  ];
}

function rightsOf({ can, role }: Me): string {
  return [
    role === "none" ? "what is bound to you or to a group of yours" : "see everything except secrets",
    ...(can.edit ? ["declare, edit and delete resources"] : []),
    ...(can.control ? ["pause, resume, dry-run and reconcile"] : []),
    ...(can.administer ? ["pause whole kinds", "manage accounts"] : []),
    ...(can.delegate && !can.administer ? ["bind roles where you administer"] : []),
  ].join(", ");
}
