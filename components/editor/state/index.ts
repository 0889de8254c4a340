export * from "./candidate";
export * from "./edit-plan";
export * from "./editor-state";
export * from "./use-editor";
export * from "./use-save";
export * from "./use-settled";
