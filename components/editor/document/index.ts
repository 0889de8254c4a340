export * from "./edit";
export * from "./intent";
export * from "./parse";
export * from "./path";
