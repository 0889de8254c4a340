/** What next-auth's `signIn` resolves with, as far as it is used. */
export interface SignInAnswer {
  ok: boolean;
  status: number;
  error?: string | null;
}

/** What to tell somebody whose sign-in did not succeed; undefined when it did. */
export function signInFault(answer: SignInAnswer | undefined): string | undefined {
  if (!answer) return "Setpoint did not answer. Try again shortly.";
  if (answer.status === 429) {
    const said = answer.error?.match(/\d+ seconds?/)?.[0];
    return `Too many attempts. Try again in ${said ?? "a few minutes"}.`;
  }
  if (answer.status >= 500) return "Setpoint cannot check passwords now: its database does not answer. Try again shortly.";
  if (answer.error || !answer.ok) return "Wrong e-mail address or password.";
  return undefined;
}

/** Where to go after signing in: only to a page of our own. */
export function returnPath(callbackUrl: string | null): string {
  if (!callbackUrl?.startsWith("/") || callbackUrl.startsWith("//") || callbackUrl.includes("\\")) return "/";
  return callbackUrl.startsWith("/sign-in") || callbackUrl.startsWith("/setup") ? "/" : callbackUrl;
}
