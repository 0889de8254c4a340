export type { AnyKind, ApiDependencies, Authenticator, UserAdministration } from "./call";
export type * from "./contract";
export type { ApiEngine } from "./engine";
export { type Api, createApi } from "./handler";
