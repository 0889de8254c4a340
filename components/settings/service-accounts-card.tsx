"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Answer } from "@/components/layout/answer";
import { Button } from "@/components/ui/button";
import { Card, CardHeader } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import { queries } from "@/lib/client";
import { CreateServiceAccountDialog } from "./create-service-account-dialog";
import { ServiceAccountLine } from "./service-account-line";

/** Principals that are no people, for who administers a namespace. */
export function ServiceAccountsCard() {
  const query = useQuery(queries.serviceAccounts());
  const [creating, setCreating] = useState(false);
  return (
    <Card aria-labelledby="service-accounts">
      <CardHeader
        id="service-accounts"
        title="Service accounts"
        description="For pipelines and programs that belong to nobody; each may what is bound to it"
        actions={
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Add account
          </Button>
        }
      />
      <Answer query={query} skeleton={<SkeletonRows rows={2} />} errorTitle="The service accounts could not be loaded">
        {(accounts) =>
          accounts.length === 0 ? (
            <p className="px-4 pb-4 text-muted">There are no service accounts.</p>
          ) : (
            <ul className="divide-y divide-line border-line border-t">
              {accounts.map((account) => (
                <ServiceAccountLine key={account.principal} account={account} />
              ))}
            </ul>
          )
        }
      </Answer>
      <CreateServiceAccountDialog open={creating} onOpenChange={setCreating} />
    </Card>
  );
}
