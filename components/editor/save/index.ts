export * from "./save-dialog";
