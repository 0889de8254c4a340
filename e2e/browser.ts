/** The pages as a person uses them: signed in through the form, found by what is written on them. */
import { type Browser, expect, type Locator, type Page } from "playwright/test";
import type { Server } from "./server";

export interface Account {
  email: string;
  password: string;
}

/** A person with a browser of their own, signed in through the form. */
export async function person(browser: Browser, server: Server, account: Account = server.admin): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.url, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await signIn(page, account);
  return page;
}

/** Fills the form in and sends it. What is typed before the page is awake is lost, so it is typed again then. */
export async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await expect(async () => {
    await page.goto("/sign-in");
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible({ timeout: 20_000 });
  }).toPass({ timeout: 90_000 });
}

export function detailPath(plural: string, name: string, tab?: string): string {
  return `/resources/${plural}/default/${name}${tab ? `?tab=${tab}` : ""}`;
}

/** The badge of the state on the page of one resource. */
export function stateOf(page: Page): Locator {
  return page.getByRole("main").locator("span[data-state]").first();
}

/** What stands beside a term, such as "Next attempt", at the top of the page of one resource. */
export function factOf(page: Page, term: string): Locator {
  return page
    .locator("dl > div")
    .filter({ has: page.locator("dt", { hasText: new RegExp(`^${term}$`) }) })
    .locator("dd");
}

/** Waits until nothing on the page is still loading. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("[role=status][aria-label^=Loading], [aria-busy=true]")).toHaveCount(0);
}

/** Marks the document; the check it gives back fails when the page has been loaded again since. */
export async function markDocument(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => document.documentElement.setAttribute("data-mark", "same"));
  return () => expect(page.locator("html")).toHaveAttribute("data-mark", "same");
}
