import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { EntryFrame } from "@/components/entry/entry-frame";
import { SignInForm } from "@/components/entry/sign-in-form";
import { currentPrincipal } from "@/lib/auth";

export const metadata: Metadata = { title: "Sign in" };

export default async function Page() {
  if (await currentPrincipal()) redirect("/");
  return (
    <EntryFrame title="Sign in to Setpoint">
      <SignInForm />
    </EntryFrame>
  );
}
