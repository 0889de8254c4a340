export { type Batch, findPlanted, simulateSeeds } from "./batch";
export { PLANTED } from "./planted";
export { REGRESSIONS } from "./regressions";
export { type RunResult, simulate } from "./run";
export { SOMETIMES, type Sometimes } from "./sometimes";
export { tell } from "./story";
export { INVARIANTS, type Violation } from "./violation";
