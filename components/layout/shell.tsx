import type { ReactNode } from "react";
import { LiveProvider } from "@/lib/client";
import { StaleBanner } from "./live-pill";
import { RoleProvider } from "./me";
import { Brand, Nav } from "./nav";
import { ShortcutsProvider } from "./shortcuts";
import { type Person, TopBar } from "./top-bar";

/** The frame of every signed-in page: navigation, top bar, banners, content. */
export function Shell({ person, children }: { person: Person; children: ReactNode }) {
  return (
    <LiveProvider>
      <RoleProvider role={person.role}>
        <ShortcutsProvider>
          <a
            href="#content"
            className="sr-only z-50 rounded-md bg-solid px-3 py-2 font-medium text-on-solid focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
          >
            Skip to content
          </a>
          <div className="flex min-h-dvh">
            <aside className="hidden w-56 shrink-0 border-line border-r bg-sunken lg:block">
              <div className="sticky top-0 px-3 py-4">
                <Brand className="mb-5 px-2.5" />
                <Nav />
              </div>
            </aside>
            <div className="flex min-w-0 flex-1 flex-col">
              <TopBar person={person} />
              <StaleBanner />
              <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
                {children}
              </main>
            </div>
          </div>
        </ShortcutsProvider>
      </RoleProvider>
    </LiveProvider>
  );
}
