"use client";

import { PageBody, PageHeader } from "@/components/layout/page-header";
import { AboutCard } from "./about-card";
import { AppearanceCard } from "./appearance-card";
import { UsersCard } from "./users-card";

export function SettingsPage() {
  return (
    <PageBody>
      <PageHeader title="Settings" />
      <div className="flex max-w-4xl flex-col gap-4">
        <AppearanceCard />
        <UsersCard />
        <AboutCard />
      </div>
    </PageBody>
  );
}
