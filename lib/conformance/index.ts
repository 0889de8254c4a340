/** Test kits; imported by tests only. */
export * from "./kind";
