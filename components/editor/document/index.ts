export * from "./edit";
export * from "./parse";
export * from "./path";
export * from "./intent";
