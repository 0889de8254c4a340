export { ResourceDetail } from "./detail/resource-detail";
export { DifferenceList } from "./difference-list";
export { FieldTable, type SideNames } from "./field-table";
export { LineDiff } from "./line-diff";
export { ResourceList } from "./list/resource-list";
export { PauseForm, type PauseFormProps, type PauseWish } from "./pause-form";
export { TextWithTimes } from "./text-with-times";
