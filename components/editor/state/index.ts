export * from "./candidate";
export * from "./editor-state";
