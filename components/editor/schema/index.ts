export * from "./check";
export * from "./defaults";
export * from "./intent";
export * from "./node";
export * from "./secrets";
