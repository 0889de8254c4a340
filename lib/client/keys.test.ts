import { describe, expect, it } from "vitest";
import type { ChangeNotice } from "@/lib/api/contract";
import { outdatedBy, queryKeys } from "./keys";
import { listQuery, resourcesHref } from "./paths";

const notice = (kind: string, name: string, namespace = "default"): ChangeNotice => ({
  type: "MODIFIED",
  kind,
  namespace,
  name,
  uid: name,
  resourceVersion: "1",
});
const plurals = new Map([
  ["ConfigFile", "configfiles"],
  ["Secret", "secrets"],
]);
const motd = { plural: "configfiles", namespace: "default", name: "motd" };

describe("what a change notice outdates", () => {
  it("is every answer about that object and none about another", () => {
    const outdated = outdatedBy([notice("ConfigFile", "motd")], "object", plurals);
    expect(outdated({ queryKey: queryKeys.object(motd, "plan") })).toBe(true);
    expect(outdated({ queryKey: queryKeys.object(motd, "passes") })).toBe(true);
    expect(outdated({ queryKey: queryKeys.object({ ...motd, name: "other" }, "object") })).toBe(false);
    expect(outdated({ queryKey: queryKeys.object({ ...motd, namespace: "other" }, "object") })).toBe(false);
  });

  it("is not an object of another kind with the same name", () => {
    const outdated = outdatedBy([notice("Secret", "motd")], "object", plurals);
    expect(outdated({ queryKey: queryKeys.object(motd, "object") })).toBe(false);
  });

  it("is rather one too many than one too few while the kinds are not known", () => {
    expect(outdatedBy([notice("ConfigFile", "motd")], "object", new Map())({ queryKey: queryKeys.object(motd, "object") })).toBe(true);
  });

  it("is lists and totals whatever changed, and never accounts or kinds", () => {
    const notices = [notice("Secret", "x")];
    expect(outdatedBy(notices, "list", plurals)({ queryKey: queryKeys.resources("state=Failed") })).toBe(true);
    expect(outdatedBy(notices, "total", plurals)({ queryKey: queryKeys.overview("24h") })).toBe(true);
    for (const urgency of ["object", "list", "total"] as const) {
      expect(outdatedBy(notices, urgency, plurals)({ queryKey: queryKeys.users() })).toBe(false);
      expect(outdatedBy(notices, urgency, plurals)({ queryKey: queryKeys.kinds() })).toBe(false);
    }
  });
});

describe("addresses", () => {
  it("write alternatives as repeated parameters and leave out what is empty", () => {
    expect(listQuery({ state: ["Failed", "BackingOff"], q: "", drifted: false, page: 2 })).toBe("state=Failed&state=BackingOff&page=2");
    expect(resourcesHref({ state: "Failed" })).toBe("/resources?state=Failed");
    expect(resourcesHref()).toBe("/resources");
  });
});
