// npm test: prepares the clone, then runs every test: vitest (pure cores, real servers), then Playwright (the built product in a browser).
// `--fail-on-skip` makes a skipped test a failure. Other arguments name test files, for both runners.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureBrowser, installCommand } from "./browser.mjs";
import { inRoot, ROOT, say } from "./folders.mjs";
import { ensureKubectl, kubectlCommand } from "./kubectl.mjs";
import { prepare } from "./prepare.mjs";
import { node } from "./run.mjs";

process.chdir(ROOT);
process.env.NEXT_TELEMETRY_DISABLED = "1";
const failOnSkip = process.argv.includes("--fail-on-skip");
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

const LONGEST_FAILURE = 2_000;
const PLAYWRIGHT = inRoot("node_modules", "playwright", "cli.js");

try {
  await prepare();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  say("0 passed, 1 failed");
  process.exit(1);
}

const reports = mkdtempSync(path.join(os.tmpdir(), "setpoint-reports-"));
const missing = [];
if (!(await ensureKubectl())) missing.push(`kubectl 1.20 was not found, so its tests were not run: ${kubectlCommand()}`);
const results = [await runVitest(), await runPlaywright()];
rmSync(reports, { recursive: true, force: true });
process.exitCode = summarise(results);

async function runVitest() {
  const report = path.join(reports, "vitest.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, "--passWithNoTests", ...only];
  const code = await node(inRoot("node_modules", "vitest", "vitest.mjs"), args);
  if (!existsSync(report)) return { name: "vitest", passed: 0, failed: 1, skipped: 0, broken: ["vitest left no report"] };
  const {
    numPassedTests: passed,
    numFailedTests,
    numPendingTests,
    numTodoTests,
    success,
    testResults,
  } = JSON.parse(readFileSync(report, "utf8"));
  // A file that cannot be loaded has no failed test, only a failed run.
  const failed = numFailedTests || (code !== 0 || !success ? 1 : 0);
  return { name: "vitest", passed, failed, skipped: numPendingTests + numTodoTests, broken: testResults.flatMap(brokenOfFile) };
}

/** Failed tests of one file, or the file itself when it could not be loaded. */
function brokenOfFile({ name, status, message, assertionResults }) {
  const file = path.relative(ROOT, name);
  const failed = assertionResults.filter((result) => result.status === "failed");
  if (failed.length === 0) return status === "failed" ? [`${file}: ${message}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}\n${failureMessages.join("\n")}`);
}

async function runPlaywright() {
  const browser = await ensureBrowser();
  const report = path.join(reports, "playwright.json");
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report, ...(browser ? { CHROMIUM: browser } : {}) };
  if (!browser) missing.push(`no Chromium was found, so the browser tests were not run: ${installCommand()}`);
  const args = ["test", "--pass-with-no-tests", ...(browser ? ["--reporter=list,json"] : ["--list", "--reporter=json"]), ...only];
  const code = await node(PLAYWRIGHT, args, { env });
  if (!existsSync(report)) return { name: "playwright", passed: 0, failed: 1, skipped: 0, broken: ["Playwright left no report"] };
  const { suites, stats } = JSON.parse(readFileSync(report, "utf8"));
  if (!browser) return { name: "playwright", passed: 0, failed: 0, skipped: countSpecs(suites) };
  const failed = stats.unexpected || (code === 0 ? 0 : 1);
  return { name: "playwright", passed: stats.expected, failed, skipped: stats.skipped, flaky: stats.flaky, broken: brokenSpecs(suites) };
}

function brokenSpecs(suites = []) {
  return suites.flatMap(({ specs = [], suites: inner }) => [
    ...specs.filter(({ ok }) => !ok).map(({ file, line, title, tests }) => `e2e/${file}:${line}: ${title}\n${lastError(tests)}`),
    ...brokenSpecs(inner),
  ]);
}

function lastError(tests) {
  return tests.flatMap(({ results }) => results.map(({ error }) => error?.message ?? "")).join("\n");
}

function countSpecs(suites = []) {
  return suites.reduce((sum, suite) => sum + (suite.specs?.length ?? 0) + countSpecs(suite.suites), 0);
}

function summarise(all) {
  say("");
  // Said again at the end, where it is found without reading everything.
  for (const text of all.flatMap(({ broken = [] }) => broken)) say(`FAILED ${text.slice(0, LONGEST_FAILURE)}\n`);
  for (const { name, passed, failed, skipped, flaky } of all) {
    say(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped${flaky ? `, ${flaky} passed only when repeated` : ""}`);
  }
  for (const line of missing) say(`Missing: ${line}`);
  const total = (field) => all.reduce((sum, result) => sum + (result[field] ?? 0), 0);
  const skipped = total("skipped");
  const failed = total("failed") + total("flaky") + (failOnSkip ? skipped : 0);
  if (skipped > 0) say(`${skipped} skipped${failOnSkip ? " (counted as failed)" : ""}`);
  say(`${total("passed")} passed, ${failed} failed`);
  return failed > 0 || total("passed") === 0 ? 1 : 0;
}
