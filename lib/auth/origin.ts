/** Where a request came to, and from: the site's own origin, and proof that a change was asked for by a page of it. */

/** The origin that people see: the configured public URL, else what the request (or the proxy before us) says. */
export function originOf(headers: Headers, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  const host = first(headers.get("x-forwarded-host")) ?? headers.get("host") ?? "localhost";
  const protocol = first(headers.get("x-forwarded-proto")) === "https" ? "https" : "http";
  const candidate = `${protocol}://${host}`;
  return URL.canParse(candidate) ? new URL(candidate).origin : "http://localhost";
}

const first = (list: string | null) => list?.split(",")[0]?.trim() || undefined;

/** The address that attempts are counted by. Behind a proxy that does not set X-Forwarded-For all share one. */
export function addressOf(headers: Headers): string {
  return (first(headers.get("x-forwarded-for")) ?? "unknown").slice(0, 64);
}

/**
 * True when a browser says that one of our own pages sent this. `Sec-Fetch-Site` cannot be set by a page; where it is missing
 * `Origin` must be ours. Neither means no proof.
 */
export function provesSameOrigin(headers: Headers, publicUrl: string | undefined): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  // A proxy may end TLS without saying so: the host decides.
  return new URL(origin).host === new URL(originOf(headers, publicUrl)).host;
}

export function cookiesOf(header: string | null): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null);
  for (const part of (header ?? "").split(";")) {
    const equals = part.indexOf("=");
    if (equals <= 0) continue;
    const name = part.slice(0, equals).trim();
    const raw = part.slice(equals + 1).trim();
    if (name in cookies) continue;
    try {
      cookies[name] = decodeURIComponent(raw);
    } catch {
      // Not ours: we only set well-formed ones.
      cookies[name] = raw;
    }
  }
  return cookies;
}
