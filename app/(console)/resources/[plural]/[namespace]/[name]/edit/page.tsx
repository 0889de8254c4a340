import type { Metadata } from "next";
import { EditView } from "@/components/editor";

interface Props {
  params: Promise<{ plural: string; namespace: string; name: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await params;
  return { title: `Edit ${decodeURIComponent(name)}` };
}

export default async function EditPage({ params }: Props) {
  const { plural, namespace, name } = await params;
  const target = { plural: decodeURIComponent(plural), namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) };
  return <EditView target={target} />;
}
