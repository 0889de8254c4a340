/** Sign-in and who asks. See README.md. */
import type { AuthOptions } from "next-auth";
import CredentialsImport from "next-auth/providers/credentials";
import type { Clock } from "@/lib/clock";
import { asSetpointError, SetpointError } from "@/lib/errors";
import type { AuditEntry, HistoryStore } from "@/lib/store";
import type { AccessStore } from "@/lib/store/access";
import type { Account, UserStore } from "@/lib/store/users";
import { Access } from "./access";
import { type Attempts, signInAttempts } from "./attempts";
import { nextAuthResponse } from "./next-auth";
import { addressOf, originOf, provesSameOrigin } from "./origin";
import { verifyPassword } from "./passwords";
import { Principals } from "./principals";
import { type Authenticated, SESSION_COOKIES, SESSION_SECONDS, Sessions, sessionSecret } from "./sessions";
import { Tokens } from "./tokens";
import { Users } from "./users";

export { decideAccess, type Principal, type Role } from "@/lib/policies/access";
export { provesSameOrigin } from "./origin";
export { hashPassword, passwordFault, SHORTEST_PASSWORD } from "./passwords";
export { currentPrincipal } from "./server";
export { type Authenticated, SESSION_COOKIES, sealSession, sessionSecret } from "./sessions";
export type { MadeToken } from "./tokens";
export { Users } from "./users";

export interface AuthDependencies {
  users: UserStore;
  access: AccessStore;
  history: Pick<HistoryStore, "audit">;
  clock: Clock;
  /** 32 bytes; the cookies' secret is derived from it. */
  encryptionKey: Buffer;
  bootstrapToken?: string;
  /** The URL that people use, when configured. */
  publicUrl?: string;
  log(message: string): void;
}

export interface Auth {
  /** Who asks, by bearer token or session cookie. */
  authenticate(headers: Headers): Promise<Authenticated>;
  /** Who asks, for server components: from the cookies alone. */
  authenticateCookies(cookies: Record<string, string | undefined>): Promise<Authenticated>;
  /** True when a page of ours sent this; asked for changes by cookie. */
  sameOrigin(headers: Headers): boolean;
  /** `/api/auth/*`. */
  handle(request: Request): Promise<Response>;
  users: Users;
  tokens: Tokens;
  access: Access;
}

/** Why a sign-in did not succeed, beyond "wrong": kept for the answer's status. */
interface SignIn {
  waitSeconds?: number;
  error?: SetpointError;
}

export function createAuth(dependencies: AuthDependencies): Auth {
  const { users, access, clock, encryptionKey, bootstrapToken, publicUrl } = dependencies;
  const secret = sessionSecret(encryptionKey);
  const principals = new Principals(access, clock);
  const sessions = new Sessions({ users, principals, secret, bootstrapToken });
  const attempts = signInAttempts();
  return {
    authenticate: (headers) => sessions.authenticate(headers),
    authenticateCookies: (cookies) => sessions.byCookies(cookies),
    sameOrigin: (headers) => provesSameOrigin(headers, publicUrl),
    users: new Users(users),
    tokens: new Tokens(access, principals, clock),
    access: new Access(access),
    async handle(request) {
      const origin = originOf(request.headers, publicUrl);
      const signIn: SignIn = {};
      const options = optionsFor(dependencies, secret, attempts, { secure: origin.startsWith("https:"), headers: request.headers, signIn });
      const response = await nextAuthResponse(request, options, origin);
      if (signIn.error) throw signIn.error;
      if (signIn.waitSeconds === undefined) return response;
      const { headers } = response;
      headers.set("retry-after", String(signIn.waitSeconds));
      headers.delete("location");
      return new Response(await response.text(), { status: 429, headers });
    },
  };
}

interface RequestFacts {
  secure: boolean;
  headers: Headers;
  signIn: SignIn;
}

function credentials(imported: unknown): typeof CredentialsImport {
  // A CommonJS module: bundlers unwrap its default export, Node does not.
  if (typeof imported === "function") return imported as typeof CredentialsImport;
  return credentials((imported as { default: unknown }).default);
}

function optionsFor(dependencies: AuthDependencies, secret: string, attempts: Attempts, facts: RequestFacts): AuthOptions {
  const { users, log } = dependencies;
  const report = (code: string, detail: unknown) => log(`auth: ${code}${detail instanceof Error ? `: ${detail.message}` : ""}`);
  return {
    secret,
    useSecureCookies: facts.secure,
    cookies: {
      sessionToken: {
        name: SESSION_COOKIES[facts.secure ? 0 : 1],
        options: { httpOnly: true, sameSite: "lax", path: "/", secure: facts.secure },
      },
    },
    session: { strategy: "jwt", maxAge: SESSION_SECONDS },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    logger: { error: (code, detail) => report(code, detail), warn: () => undefined, debug: () => undefined },
    providers: [
      credentials(CredentialsImport)({
        name: "Setpoint",
        credentials: { email: { label: "E-mail", type: "email" }, password: { label: "Password", type: "password" } },
        authorize: (given) => authorize(given, dependencies, attempts, facts),
      }),
    ],
    callbacks: {
      redirect: ({ url, baseUrl }) => (url.startsWith("/") && !url.startsWith("//") ? `${baseUrl}${url}` : baseUrl),
      async jwt({ token, user }) {
        if (user) return { sid: await openSession(dependencies, facts, user) };
        // The row decides: a session that was ended has no token any more.
        const account = typeof token.sid === "string" ? await users.session(token.sid) : undefined;
        if (!account) throw new SetpointError("Unauthorized", "the session has ended");
        return token;
      },
      async session({ session, token }) {
        const account = typeof token.sid === "string" ? await users.session(token.sid) : undefined;
        return account ? { ...session, user: { name: account.name, email: account.email, role: account.role } } : session;
      },
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.sid === "string") await users.closeSession(token.sid);
      },
    },
  };
}

/** A session for who has proved who they are; that it was opened is on record with it, in one transaction. */
async function openSession(
  { users, clock }: AuthDependencies,
  { headers, signIn }: RequestFacts,
  user: { id: string; email?: string | null },
) {
  try {
    return await users.openSession(user.id, clock.now() + SESSION_SECONDS * 1000, signInOf(addressOf(headers), user.email ?? ""));
  } catch (error) {
    signIn.error = asSetpointError(error);
    throw signIn.error;
  }
}

/** The row of a sign-in that succeeds. */
function signInOf(address: string, email: string): AuditEntry {
  return { actor: email, verb: "sign-in", kind: "User", namespace: "", name: email, detail: { address }, outcome: "done" };
}

/** Checks e-mail and password. Null: wrong. Takes the same time whether the account exists or not. */
async function authorize(
  given: Record<"email" | "password", string> | undefined,
  { users, history }: AuthDependencies,
  attempts: Attempts,
  { headers, signIn }: RequestFacts,
): Promise<{ id: string; name: string; email: string } | null> {
  const email = (given?.email ?? "").trim().toLowerCase().slice(0, 254);
  const password = (given?.password ?? "").slice(0, 512);
  const address = addressOf(headers);
  try {
    const wait = await attempts.take(email, address);
    if (wait > 0) {
      signIn.waitSeconds = wait;
      throw new SetpointError("TooManyRequests", `Too many attempts. Try again in ${wait} seconds.`);
    }
    const found = email === "" || email.includes("\u0000") ? undefined : await users.findByEmail(email);
    const matches = await verifyPassword(found?.passwordHash, password);
    const account: Account | undefined = matches && !found?.account.disabled ? found?.account : undefined;
    if (!account) {
      const error = found?.account.disabled ? "the account is disabled" : "wrong e-mail address or password";
      await history.audit({ ...signInOf(address, found?.account.email ?? ""), actor: "anonymous", outcome: "denied", error });
      return null;
    }
    await attempts.succeeded(email, address);
    return { id: account.id, name: account.name, email: account.email };
  } catch (error) {
    // next-auth would answer 401 to anything: what is not about the password gets its own status.
    const fault = asSetpointError(error);
    if (fault.reason !== "TooManyRequests") signIn.error = fault;
    throw fault;
  }
}
