import { headers } from "next/headers";
import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { Shell } from "@/components/layout/shell";
import { currentPrincipal } from "@/lib/auth";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const principal = await currentPrincipal();
  if (!principal) {
    const path = (await headers()).get("x-setpoint-path") ?? "/";
    redirect(path === "/" ? "/sign-in" : `/sign-in?callbackUrl=${encodeURIComponent(path)}`);
  }
  const { name, email, role } = principal;
  return <Shell person={{ name, email, role }}>{children}</Shell>;
}
