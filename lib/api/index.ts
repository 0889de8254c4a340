export type { AnyKind, ApiDependencies, Authenticator, UserAdministration } from "./call";
export type * from "./contract";
export type { ApiEngine } from "./engine";
export { freshnessFrom } from "./freshness";
export { type Api, createApi } from "./handler";
