export { type Applying, mergeApplied, type OwnershipConflict, settleApply } from "./apply";
export { conflictTexts } from "./conflicts";
export { type EditPlan, planEdit } from "./edit";
export type { ManagerId } from "./managers";
export { BLANK, ownedPart } from "./object";
export { isStanding, type Owner, ownersOf } from "./owners";
export { objectShape, type Shape, shapeOf } from "./shape";
export { pathText } from "./steps";
export { trackUpdate } from "./update";
