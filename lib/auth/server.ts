/** For server components. */
import { cookies } from "next/headers";
import type { Principal } from "@/lib/policies/access";
import type { Auth } from ".";

/** The runtime keeps itself there, because Next bundles pages, routes and instrumentation apart from each other. */
const RUNTIME = Symbol.for("setpoint.runtime");

function authOfProcess(): Pick<Auth, "authenticateCookies"> | undefined {
  const runtime: unknown = Reflect.get(globalThis, RUNTIME);
  return typeof runtime === "object" && runtime !== null && "auth" in runtime ? (runtime.auth as Auth) : undefined;
}

/** Who looks at the page; undefined when nobody is signed in, or Setpoint is not ready. */
export async function currentPrincipal(): Promise<Principal | undefined> {
  const jar = await cookies();
  const auth = authOfProcess();
  if (!auth) return undefined;
  const { principal } = await auth.authenticateCookies(Object.fromEntries(jar.getAll().map(({ name, value }) => [name, value])));
  return principal;
}
