export {
  type AdmissionContext,
  type Admitted,
  type AnyKind,
  admitCreate,
  admitSpec,
  admitUpdate,
  conflictOn,
  invalidObject,
} from "./admit";
export { admitControl, admitPause, submittedControl } from "./control";
export { causesOf, forbidden, invalid, required, suggestion, unknownField } from "./faults";
export { jsonPatch } from "./json-patch";
export { mergePatch, mergePatchObject } from "./merge-patch";
export { nameCauses, parseMetadata } from "./metadata";
export { fieldPath, MAX_BYTES, MAX_DEPTH, parseJson, parseObject, survivesExactly, textFault } from "./parse";
export { hideSecrets, hideSecretsOf, isSealed, mapSecretFields, type SealedValue, type Sealer, sealContext } from "./secrets";
