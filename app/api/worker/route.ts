import { withRuntime } from "@/app/serve";
import { decideAccess } from "@/lib/auth";
import { SetpointError } from "@/lib/errors";

export const dynamic = "force-dynamic";
const DEFAULT_MS = 10_000;
const MOST_MS = 60_000;

/** Runs due work for at most `?ms=` and says what was done, so that a scheduler can drive the loops. Bearer token only, of who may ask for a look at everything. */
export function POST(request: Request): Promise<Response> {
  return withRuntime(async ({ auth, runDueWork }) => {
    const { principal } = await auth.authenticate(request.headers);
    if (principal?.via !== "token")
      throw new SetpointError("Unauthorized", "Unauthorized: send a bearer token in the Authorization header");
    const verdict = decideAccess(principal, "reconcile", { plural: "*" });
    if (!verdict.allowed) throw new SetpointError(verdict.reason, verdict.message);
    const text = new URL(request.url).searchParams.get("ms") ?? String(DEFAULT_MS);
    const ms = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (!(ms >= 1 && ms <= MOST_MS)) throw new SetpointError("BadRequest", `the parameter ms must be a whole number from 1 to ${MOST_MS}`);
    return Response.json(await runDueWork(ms), { headers: { "cache-control": "no-cache, private" } });
  });
}
