import { serveApi } from "@/app/serve";

export const dynamic = "force-dynamic";
export { serveApi as DELETE, serveApi as GET, serveApi as HEAD, serveApi as OPTIONS, serveApi as PATCH, serveApi as POST, serveApi as PUT };
