export * from "./preview-panel";
export * from "./summary";
