import { defineConfig } from "playwright/test";
import { BROWSER_ARGUMENTS, findBrowser } from "./lib/setup/browser.mjs";

const executablePath = await findBrowser();

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  // Each spec file starts a product of its own, and mostly waits for it: two at a time is what two cores carry.
  workers: 2,
  fullyParallel: false,
  timeout: 180_000,
  expect: { timeout: 15_000 },
  reporter: "list",
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "UTC",
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: { executablePath, args: BROWSER_ARGUMENTS },
  },
});
