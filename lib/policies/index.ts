/** Who may, and what may be stored. Each part is imported by its own path. */
export * as access from "./access";
export * as admission from "./admission";
