import type { Metadata } from "next";
import { ResourceList } from "@/components/resource";

export const metadata: Metadata = { title: "Resources" };

export default function ResourcesPage() {
  return <ResourceList />;
}
