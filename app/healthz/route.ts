export const dynamic = "force-dynamic";

/** The process lives and answers. */
export function GET(): Response {
  return new Response("ok", { headers: { "content-type": "text/plain", "cache-control": "no-store" } });
}
