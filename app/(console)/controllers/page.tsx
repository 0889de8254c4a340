import type { Metadata } from "next";
import { ControllersPage } from "@/components/controller/controllers-page";

export const metadata: Metadata = { title: "Controllers" };

export default function Page() {
  return <ControllersPage />;
}
