import { statusResponse, withRuntime } from "@/app/serve";
import { SetpointError } from "@/lib/errors";

export const dynamic = "force-dynamic";

function serve(request: Request): Promise<Response> {
  return withRuntime(async ({ config, auth }) =>
    config.role === "worker"
      ? statusResponse(new SetpointError("NotFound", "this process runs controllers only (SETPOINT_ROLE=worker)"))
      : auth.handle(request),
  );
}

export { serve as GET, serve as POST };
