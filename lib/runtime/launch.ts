/**
 * How `instrumentation.ts` tells `npm start` whether the runtime came up. Next swallows what `register()` throws, prints
 * it twice and serves on without controllers; the start script must instead print one plain message and end.
 */

/** Put on `globalThis` by lib/setup/start.mjs. */
interface Launcher {
  started(): void;
  failed(error: unknown): void;
}

const LAUNCHER = Symbol.for("setpoint.launch");

/** Runs `start`, the start of the runtime, and reports how it went. Without a start script around it, errors pass through. */
export async function launch(start: () => Promise<unknown>): Promise<void> {
  const launcher = launcherOfProcess();
  if (!launcher) {
    await start();
    return;
  }
  try {
    await start();
    launcher.started();
  } catch (error) {
    launcher.failed(error);
  }
}

function launcherOfProcess(): Launcher | undefined {
  const found: unknown = Reflect.get(globalThis, LAUNCHER);
  return isLauncher(found) ? found : undefined;
}

function isLauncher(value: unknown): value is Launcher {
  return typeof value === "object" && value !== null && "started" in value && "failed" in value;
}
