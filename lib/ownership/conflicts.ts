/** Conflicts in Kubernetes' words, which its clients show as they are. */
import type { OwnershipConflict } from "./apply";
import { pathText } from "./steps";

function managerText({ manager, apiVersion, time }: OwnershipConflict): string {
  const name = JSON.stringify(manager.manager);
  const whose = manager.subresource === undefined ? name : `${name} with subresource ${JSON.stringify(manager.subresource)}`;
  return manager.operation === "Update" ? `${whose} using ${apiVersion} at ${time}` : whose;
}

/** The message and the causes of a refused apply. */
export function conflictTexts(conflicts: readonly OwnershipConflict[]): { message: string; causes: { field: string; message: string }[] } {
  const causes = conflicts.map((conflict) => ({ field: pathText(conflict.path), message: `conflict with ${managerText(conflict)}` }));
  const [only] = causes;
  if (causes.length === 1 && only) return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  const byManager = new Map<string, string[]>();
  for (const conflict of conflicts) {
    const manager = managerText(conflict);
    byManager.set(manager, [...(byManager.get(manager) ?? []), pathText(conflict.path)]);
  }
  const lines = [...byManager]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([manager, fields]) => [`conflicts with ${manager}:`, ...fields.map((field) => `- ${field}`)]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join("\n")}`, causes };
}
