export * from "./three-way";
