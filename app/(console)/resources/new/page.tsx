import type { Metadata } from "next";
import { Suspense } from "react";
import { NewView } from "@/components/editor";

export const metadata: Metadata = { title: "New resource" };

export default function NewPage() {
  return (
    <Suspense>
      <NewView />
    </Suspense>
  );
}
