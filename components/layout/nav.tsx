"use client";

import { Boxes, Cpu, LayoutDashboard, type LucideIcon, Settings } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { cn } from "@/components/ui/class-names";

const PAGES: { href: string; label: string; icon: LucideIcon }[] = [
  { href: "/", label: "Overview", icon: LayoutDashboard },
  { href: "/resources", label: "Resources", icon: Boxes },
  { href: "/controllers", label: "Controllers", icon: Cpu },
  { href: "/settings", label: "Settings", icon: Settings },
];

/** The main navigation. `onNavigate` lets a drawer close itself. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const pathname = usePathname();
  return (
    <nav aria-label="Main">
      <ul className="flex flex-col gap-0.5">
        {PAGES.map(({ href, label, icon: Icon }) => {
          const here = href === "/" ? pathname === "/" : pathname === href || pathname.startsWith(`${href}/`);
          return (
            <li key={href}>
              <Link
                href={href}
                onClick={onNavigate}
                aria-current={here ? "page" : undefined}
                className={cn(
                  "flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium text-muted hover:bg-hover hover:text-fg max-lg:h-10",
                  here && "bg-surface text-fg ring-1 ring-line ring-inset hover:bg-surface",
                )}
              >
                <Icon aria-hidden className="size-4 shrink-0" />
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** The product's mark: two lines meeting, as reality meets intent. */
export function Brand({ className }: { className?: string }) {
  return (
    <Link
      href="/"
      aria-label="Setpoint, overview"
      className={cn("flex items-center gap-2 rounded font-semibold text-fg text-sm", className)}
    >
      <BrandMark />
      Setpoint
    </Link>
  );
}

export function BrandMark({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      className={cn("size-5 text-accent", className)}
    >
      <path d="M2.5 9h19" strokeWidth="1.5" strokeDasharray="1.5 3.25" />
      <path d="M2.5 19.5c4 0 4-14 8-14 3 0 3 6 5.5 6 2 0 2.2-2.5 5.5-2.5" />
    </svg>
  );
}
