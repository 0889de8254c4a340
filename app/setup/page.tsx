import type { Metadata } from "next";
import { EntryFrame } from "@/components/entry/entry-frame";
import { SetupForm } from "@/components/entry/setup-form";

export const metadata: Metadata = { title: "Set up", referrer: "no-referrer" };

export default function Page() {
  return (
    <EntryFrame title="Set up Setpoint" description="Create the first administrator. The link from the start of Setpoint works once.">
      <SetupForm />
    </EntryFrame>
  );
}
