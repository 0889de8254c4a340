import { describe, expect, it } from "vitest";
import { crumbsFor } from "./crumbs";

describe("the breadcrumb", () => {
  it("names the page itself last and does not link it", () => {
    expect(crumbsFor("/")).toEqual([{ label: "Overview" }]);
    expect(crumbsFor("/controllers")).toEqual([{ label: "Controllers" }]);
  });

  it("leads from a resource back through filtered lists", () => {
    expect(crumbsFor("/resources/configfiles/default/motd/edit")).toEqual([
      { label: "Resources", href: "/resources" },
      { label: "configfiles", href: "/resources?kind=configfiles" },
      { label: "default", href: "/resources?kind=configfiles&namespace=default" },
      { label: "motd", href: "/resources/configfiles/default/motd" },
      { label: "Edit" },
    ]);
  });

  it("survives paths that nobody wrote by hand", () => {
    expect(crumbsFor("/resources/%E0%A4%A/x")[1]?.label).toBe("%E0%A4%A");
  });
});
