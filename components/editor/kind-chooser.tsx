"use client";

import { Box, FileText, KeyRound, type LucideIcon, Server, UserCog, Waypoints } from "lucide-react";
import Link from "next/link";
import type { KindInfo } from "@/lib/api/contract";

/** Kinds with a picture of their own; any other gets the plain one. */
const ICONS: Record<string, LucideIcon> = {
  replicasets: Waypoints,
  configfiles: FileText,
  secrets: KeyRound,
  postgresservers: Server,
  postgresroles: UserCog,
};

/** The first step of something new: what it is. */
export function KindChooser({ kinds }: { kinds: readonly KindInfo[] }) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
      {kinds.map((kind) => {
        const Icon = ICONS[kind.plural] ?? Box;
        return (
          <li key={kind.plural}>
            <Link
              href={`/resources/new?kind=${encodeURIComponent(kind.plural)}`}
              className="flex h-full items-start gap-3 rounded-lg border border-line bg-surface p-4 transition-colors hover:border-line-strong hover:bg-hover"
            >
              <span className="inline-flex size-9 shrink-0 items-center justify-center rounded-lg border border-line bg-canvas text-muted">
                <Icon aria-hidden className="size-4.5" />
              </span>
              <span className="min-w-0">
                <span className="block font-semibold text-sm">{kind.name}</span>
                <span className="mt-0.5 block text-muted">{kind.description}</span>
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
