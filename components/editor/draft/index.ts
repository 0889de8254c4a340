export * from "./draft";
export * from "./draft-banner";
export * from "./use-draft";
