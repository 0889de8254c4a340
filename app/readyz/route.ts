import { getRuntime } from "@/lib/runtime";

export const dynamic = "force-dynamic";

/** The runtime is up and the store answers. */
export async function GET(): Promise<Response> {
  const runtime = getRuntime();
  const ready = runtime !== undefined && (await runtime.ready());
  const why = runtime === undefined ? "starting" : "the store does not answer";
  return new Response(ready ? "ok" : why, {
    status: ready ? 200 : 503,
    headers: { "content-type": "text/plain", "cache-control": "no-store", ...(ready ? {} : { "retry-after": "2" }) },
  });
}
