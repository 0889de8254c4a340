/** From a request to who asks. The cookie only names a session; the row decides, on every request. */
import { decode, encode } from "next-auth/jwt";
import type { Clock } from "@/lib/clock";
import type { Principal } from "@/lib/policies/access";
import { deriveKey, sameSecret } from "@/lib/secrets";
import type { UserStore } from "@/lib/store/users";
import { cookiesOf } from "./origin";
import type { Principals } from "./principals";

export const SESSION_COOKIES = ["__Secure-next-auth.session-token", "next-auth.session-token"] as const;
/** A session ends a day after sign-in. */
export const SESSION_SECONDS = 86_400;

/** The answer to "who asks". `invalid` is a credential that does not count (any more), with the reason. */
export type Authenticated = { principal: Principal } | { principal: undefined; invalid?: string };

/** What cookies are encrypted with. */
export function sessionSecret(encryptionKey: Buffer): string {
  return deriveKey(encryptionKey, "session-cookie").toString("base64url");
}

/** Whoever has the token of the configuration. */
const BOOTSTRAP: Principal = {
  name: "bootstrap-token",
  email: "",
  role: "administrator",
  via: "token",
  groups: ["system:masters", "system:authenticated"],
};

export interface SessionsOptions {
  users: Pick<UserStore, "session">;
  principals: Principals;
  /** What the cookie is encrypted with. */
  secret: string;
  bootstrapToken?: string;
}

export class Sessions {
  constructor(private readonly options: SessionsOptions) {}

  /** Bearer token before cookie: who sends a token means it. */
  async authenticate(headers: Headers): Promise<Authenticated> {
    const authorization = headers.get("authorization");
    if (authorization !== null) return this.byToken(authorization);
    return this.byCookies(cookiesOf(headers.get("cookie")));
  }

  async byCookies(cookies: Record<string, string | undefined>): Promise<Authenticated> {
    const id = await this.sessionId(cookies);
    if (id === undefined) return { principal: undefined };
    const account = await this.options.users.session(id);
    if (!account) return { principal: undefined, invalid: "the session has ended; sign in again" };
    return { principal: await this.options.principals.ofAccount(account, "session") };
  }

  /** The session that the cookie names, whether it is still open or not. */
  async sessionId(cookies: Record<string, string | undefined>): Promise<string | undefined> {
    for (const name of SESSION_COOKIES) {
      const token = cookies[name];
      if (!token || token.length > 8_192) continue;
      const claims = await decode({ token, secret: this.options.secret }).catch(() => null);
      if (claims && typeof claims.sid === "string") return claims.sid;
    }
    return undefined;
  }

  private async byToken(authorization: string): Promise<Authenticated> {
    const [scheme = "", token = ""] = authorization.split(/\s+/, 2);
    const { bootstrapToken, principals } = this.options;
    if (scheme.toLowerCase() !== "bearer" || token === "")
      return { principal: undefined, invalid: "the Authorization header must be `Bearer <token>`" };
    if (bootstrapToken !== undefined && sameSecret(token, bootstrapToken)) return { principal: BOOTSTRAP };
    return principals.ofToken(token);
  }
}

/** A cookie value that names a session; for tests and for whoever signs in by other means. */
export function sealSession(id: string, secret: string, clock: Clock): Promise<string> {
  return encode({ token: { sid: id, iat: Math.floor(clock.now() / 1000) }, secret, maxAge: SESSION_SECONDS });
}
