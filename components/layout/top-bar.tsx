"use client";

import { LogOut, Menu as MenuIcon, Monitor, Moon, Sun, User } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { Fragment, useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { Drawer } from "@/components/ui/drawer";
import { Menu, MenuItem, MenuLabel, MenuRadioGroup, MenuRadioItem, MenuSeparator } from "@/components/ui/menu";
import { crumbsFor } from "./crumbs";
import { LivePill } from "./live-pill";
import { Nav } from "./nav";
import { type Preferences, usePreference } from "./preferences";

export interface Person {
  name: string;
  email: string;
  role: string;
}

export function TopBar({ person }: { person: Person }) {
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-line border-b bg-canvas/95 px-3 backdrop-blur sm:px-6">
      <MobileNav />
      <Breadcrumb />
      <div className="ml-auto flex shrink-0 items-center gap-1">
        <LivePill />
        <ZoneSwitch />
        <ThemeSwitch />
        <UserMenu person={person} />
      </div>
    </header>
  );
}

function MobileNav() {
  const [open, setOpen] = useState(false);
  return (
    <div className="lg:hidden">
      <IconButton label="Open navigation" onClick={() => setOpen(true)}>
        <MenuIcon aria-hidden />
      </IconButton>
      <Drawer open={open} onOpenChange={setOpen} title="Setpoint" side="left" className="w-72">
        <Nav onNavigate={() => setOpen(false)} />
      </Drawer>
    </div>
  );
}

function Breadcrumb() {
  const crumbs = crumbsFor(usePathname());
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5 text-muted">
        {crumbs.map((crumb, index) => (
          <Fragment key={`${crumb.href ?? ""}${crumb.label}`}>
            {index > 0 ? (
              <li aria-hidden className="text-line-strong max-sm:hidden">
                /
              </li>
            ) : null}
            <li
              className={crumb.href ? "truncate max-sm:hidden" : "min-w-0 truncate font-medium text-fg"}
              aria-current={crumb.href ? undefined : "page"}
            >
              {crumb.href ? (
                <Link href={crumb.href} className="rounded hover:text-fg">
                  {crumb.label}
                </Link>
              ) : (
                crumb.label
              )}
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}

function ZoneSwitch() {
  const [zone, setZone] = usePreference("zone");
  const next = zone === "utc" ? "local" : "utc";
  return (
    <Button
      variant="ghost"
      size="sm"
      className="max-sm:hidden"
      aria-label={`Times are shown in ${zone === "utc" ? "UTC" : "local time"}. Show them in ${next === "utc" ? "UTC" : "local time"}.`}
      onClick={() => setZone(next)}
    >
      {zone === "utc" ? "UTC" : "Local"}
    </Button>
  );
}

const THEME_ICON = { system: Monitor, light: Sun, dark: Moon };
const THEMES: { value: Preferences["theme"]; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function ThemeSwitch() {
  const [theme, setTheme] = usePreference("theme");
  const Icon = THEME_ICON[theme];
  return (
    <Menu
      trigger={
        <IconButton label="Theme" size="sm" className="max-sm:hidden">
          <Icon aria-hidden />
        </IconButton>
      }
    >
      <ThemeChoices theme={theme} setTheme={setTheme} />
    </Menu>
  );
}

function ThemeChoices({ theme, setTheme }: { theme: Preferences["theme"]; setTheme: (theme: Preferences["theme"]) => void }) {
  return (
    <MenuRadioGroup value={theme} onValueChange={setTheme}>
      {THEMES.map(({ value, label }) => (
        <MenuRadioItem key={value} value={value}>
          {label}
        </MenuRadioItem>
      ))}
    </MenuRadioGroup>
  );
}

function UserMenu({ person }: { person: Person }) {
  const [zone, setZone] = usePreference("zone");
  const [theme, setTheme] = usePreference("theme");
  return (
    <Menu
      trigger={
        <IconButton label={`Account of ${person.name || person.email}`} size="sm" variant="secondary" className="rounded-full">
          <User aria-hidden />
        </IconButton>
      }
    >
      <div className="px-2 py-1.5">
        <p className="break-words font-medium">{person.name || person.email}</p>
        <p className="break-words text-muted text-xs">{person.email}</p>
        <p className="mt-1 text-muted text-xs">
          Role: <span className="text-fg">{person.role}</span>
        </p>
      </div>
      <div className="sm:hidden">
        <MenuSeparator />
        <MenuLabel>Times</MenuLabel>
        <MenuRadioGroup value={zone} onValueChange={setZone}>
          <MenuRadioItem value="utc">UTC</MenuRadioItem>
          <MenuRadioItem value="local">Local time</MenuRadioItem>
        </MenuRadioGroup>
        <MenuLabel>Theme</MenuLabel>
        <ThemeChoices theme={theme} setTheme={setTheme} />
      </div>
      <MenuSeparator />
      <MenuItem onClick={() => void leave()}>
        <LogOut aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  );
}

/** Loaded when it is needed: nobody signs out of every page. */
async function leave(): Promise<void> {
  const { signOut } = await import("next-auth/react");
  await signOut({ callbackUrl: "/sign-in" });
}
