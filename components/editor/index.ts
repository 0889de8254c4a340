export { EditView } from "./edit-view";
export { NewView } from "./new-view";
