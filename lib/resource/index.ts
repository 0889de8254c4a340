export * from "./conditions";
export * from "./equality";
export * from "./model";
export * from "./names";
export * from "./selectors";
export * from "./view";
