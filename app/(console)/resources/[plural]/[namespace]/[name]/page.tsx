import type { Metadata } from "next";
import { ResourceDetail } from "@/components/resource";

interface Props {
  params: Promise<{ plural: string; namespace: string; name: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { plural, name } = await params;
  return { title: `${decodeURIComponent(name)} · ${decodeURIComponent(plural)}` };
}

export default async function ResourcePage({ params }: Props) {
  const { plural, namespace, name } = await params;
  return <ResourceDetail plural={decodeURIComponent(plural)} namespace={decodeURIComponent(namespace)} name={decodeURIComponent(name)} />;
}
