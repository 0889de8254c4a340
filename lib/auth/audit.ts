import type { Principal } from "@/lib/policies/access";
import type { JsonObject } from "@/lib/resource";
import type { AuditEntry } from "@/lib/store";

/** The row of a change to who may what. A token is told by its first characters. */
export function auditOf(by: Principal, verb: string, kind: string, name: string, detail: JsonObject = {}, namespace = ""): AuditEntry {
  return {
    actor: by.name,
    verb,
    kind,
    namespace,
    name,
    detail: { ...detail, ...(by.token ? { token: by.token.prefix } : {}) },
    outcome: "done",
  };
}
