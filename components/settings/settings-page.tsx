"use client";

import { useMe } from "@/components/layout/me";
import { PageBody, PageHeader } from "@/components/layout/page-header";
import { AboutCard } from "./about-card";
import { AppearanceCard } from "./appearance-card";
import { BindingsCard } from "./bindings-card";
import { RolesCard } from "./roles-card";
import { ServiceAccountsCard } from "./service-accounts-card";
import { TokensCard } from "./tokens-card";
import { UsersCard } from "./users-card";

export function SettingsPage() {
  const me = useMe();
  return (
    <PageBody>
      <PageHeader title="Settings" />
      <div className="flex max-w-4xl flex-col gap-4">
        <AppearanceCard />
        <TokensCard />
        <UsersCard />
        {me?.can.delegate ? (
          <>
            <ServiceAccountsCard />
            {me.can.administer ? <RolesCard /> : null}
            <BindingsCard />
          </>
        ) : null}
        <AboutCard />
      </div>
    </PageBody>
  );
}
