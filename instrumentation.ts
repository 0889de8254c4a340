/** Next calls this once, when the server starts: the controllers and everything behind the routes start here. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { launch } = await import("@/lib/runtime/launch");
  const { startRuntime } = await import("@/lib/runtime/start");
  await launch(startRuntime);
}
