export * from "./merge-dialog";
export * from "./three-way";
