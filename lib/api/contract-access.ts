/** The shapes of tokens, service accounts, roles and bindings. */
import type { JsonObject } from "@/lib/resource";

/** What a token may ask of each process that serves the API. */
export interface TokenLimits {
  /** 1 to 60,000; 6,000 when absent. */
  requestsPerMinute?: number;
  /** Watches and event streams open at once: 0 to 100; 100 when absent. */
  streams?: number;
  /** Of a request's body: 1,024 to 1,048,576; 1,048,576 when absent. */
  bodyBytes?: number;
  /** Levels of lists and maps within each other in a body: 8 to 64; 64 when absent. */
  depth?: number;
}

/** GET /api/console/tokens: one's own. DELETE /api/console/tokens/{id} revokes one. */
export interface TokenEntry {
  id: string;
  name: string;
  /** The first characters, to tell tokens apart. */
  prefix: string;
  /** { verbs, kinds, namespaces }, `*` for all: what its owner's rights are narrowed to. */
  scope: JsonObject;
  /** Where other than the defaults. */
  limits: TokenLimits;
  createdAt: string;
  expiresAt: string;
  /** To the minute; absent: never. */
  lastUsedAt?: string;
  expired: boolean;
}
/** POST /api/console/tokens. Without `serviceAccount` it is one's own, and needs a signed-in person. */
export interface TokenRequest {
  name: string;
  /** 1 to 366; 90 when absent. */
  expiresInDays?: number;
  scope?: { verbs?: string[]; kinds?: string[]; namespaces?: string[] };
  limits?: TokenLimits;
  serviceAccount?: { namespace: string; name: string };
}
/** The token is shown here and never again. */
export interface MadeTokenAnswer {
  token: string;
  entry: TokenEntry;
}

/** GET /api/console/serviceaccounts · POST {namespace,name} · DELETE /api/console/serviceaccounts/{namespace}/{name} */
export interface ServiceAccountEntry {
  namespace: string;
  name: string;
  /** `system:serviceaccount:<namespace>:<name>` */
  principal: string;
  createdBy: string;
  createdAt: string;
  tokens: TokenEntry[];
}

/** GET /api/console/roles · POST {name,description?,rules} · DELETE /api/console/roles/{name} */
export interface RoleEntry {
  name: string;
  description: string;
  /** Verbs and plurals, `*` for all. */
  rules: { verbs: string[]; kinds: string[] }[];
  builtIn: boolean;
}

/** GET /api/console/bindings · POST {role,namespace,subject} · DELETE /api/console/bindings/{id} */
export interface BindingEntry {
  id: string;
  role: string;
  /** `*`: everywhere. */
  namespace: string;
  subject: { kind: "User" | "Group" | "ServiceAccount"; namespace?: string; name: string };
  createdBy: string;
  createdAt: string;
}
