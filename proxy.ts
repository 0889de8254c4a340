import { type NextRequest, NextResponse } from "next/server";

/**
 * Gives every page its own nonce and the policy that lets nothing else run. It decides nothing about who may see what:
 * that is done where the data is read.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("x-setpoint-path", request.nextUrl.pathname + request.nextUrl.search);
  // Next reads the nonce for its own scripts from the policy of the request.
  headers.set("content-security-policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  // Only where people reach us by https; on a plain port it would lock them out of their own machine.
  if (request.headers.get("x-forwarded-proto") === "https") response.headers.set("strict-transport-security", "max-age=31536000");
  return response;
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Charts and popups are placed by style attributes. An attribute cannot load or run anything; elements stay behind the nonce.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join("; ");
}

export const config = {
  // Pages only: assets carry no policy, and the API answers JSON.
  matcher: ["/((?!_next/static|_next/image|api/|apis/|healthz|readyz|metrics|icon.svg|favicon.ico).*)"],
};
