export interface Kubectl {
  /** E.g. `1.20`. */
  version: string;
  file: string;
}
/** Every kubectl found here, the oldest first. */
export declare function findKubectls(): Kubectl[];
/** The command that brings kubectl 1.20 to where the tests look for it. */
export declare function kubectlCommand(): string;
/** Gets kubectl 1.20 where that needs nobody's permission; whether it is there. */
export declare function ensureKubectl(): Promise<boolean>;
