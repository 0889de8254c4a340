import { createLoader } from "nuqs/server";
import { describe, expect, it } from "vitest";
import type { ResourceRow } from "@/lib/api/contract";
import { describeFilter, filterParsers, listQuery, matchQuery, nextSort, toggleValue } from "./filter";
import { countSelected, isSelected, NOTHING, pageState, selectRange, togglePage, toggleRow } from "./selection";

const load = createLoader(filterParsers);

describe("the filter in the URL", () => {
  it("survives the way to the URL and back", () => {
    const query = "q=web&kind=ReplicaSet&kind=Secret&state=Failed&label=tier%3Dedge&drifted=true&sort=-attempts&page=3";
    const filter = load(new URLSearchParams(query));
    expect(load(new URLSearchParams(listQuery(filter)))).toEqual(filter);
    expect(filter).toMatchObject({ q: "web", kind: ["ReplicaSet", "Secret"], state: ["Failed"], drifted: true, page: 3 });
    expect(filter.sort).toEqual({ field: "attempts", descending: true });
  });

  it("is empty when nothing is asked for", () => {
    const filter = load(new URLSearchParams(""));
    expect(listQuery(filter)).toBe("");
    expect(describeFilter(filter)).toEqual([]);
  });

  it("ignores what it does not know instead of failing", () => {
    expect(load(new URLSearchParams("state=Nonsense&sort=secret&page=x"))).toEqual(load(new URLSearchParams("")));
  });

  it("binds a bulk action to what matches and not to how it is paged or sorted", () => {
    expect(matchQuery(load(new URLSearchParams("state=Failed&sort=-attempts&page=4")))).toBe("state=Failed");
  });

  it("turns a sort round and begins counts with the largest", () => {
    expect(nextSort({ field: "name", descending: false }, "name")).toEqual({ field: "name", descending: true });
    expect(nextSort({ field: "name", descending: false }, "attempts")).toEqual({ field: "attempts", descending: true });
  });

  it("adds and removes a facet's value", () => {
    expect(toggleValue(["a"], "b")).toEqual(["a", "b"]);
    expect(toggleValue(["a", "b"], "a")).toEqual(["b"]);
  });
});

describe("the selection", () => {
  const page: ResourceRow[] = ["a", "b", "c", "d"].map((uid) => ({
    uid,
    kind: "ReplicaSet",
    plural: "replicasets",
    namespace: "default",
    name: uid,
    labels: {},
    generation: 1,
    observedGeneration: 1,
    state: "Converged",
    health: "Healthy",
    reason: "Converged",
    message: "",
    mode: "Auto",
    driftCount: 0,
    attempts: 0,
    createdAt: "2026-01-01T00:00:00.000Z",
    deleting: false,
    resourceVersion: "1",
  }));
  const row = (index: number) => page[index] ?? expect.fail("no such row");

  it("picks a range in either direction", () => {
    const uids = (anchor: string, to: string) => {
      const selection = selectRange(NOTHING, page, anchor, to);
      return page.filter(({ uid }) => isSelected(selection, uid)).map(({ uid }) => uid);
    };
    expect(uids("b", "d")).toEqual(["b", "c", "d"]);
    expect(uids("d", "b")).toEqual(["b", "c", "d"]);
    expect(uids("gone", "c")).toEqual(["c"]);
  });

  it("counts everything that matches only when that was chosen", () => {
    expect(countSelected({ all: true }, 243)).toBe(243);
    expect(countSelected(togglePage(NOTHING, page), 243)).toBe(4);
  });

  it("never stays on 'all matching' when one row is dropped", () => {
    const selection = toggleRow({ all: true }, row(0), page);
    expect(selection.all).toBe(false);
    expect(countSelected(selection, 243)).toBe(3);
  });

  it("keeps rows picked on other pages", () => {
    const other = toggleRow(NOTHING, { ...row(0), uid: "z" }, page);
    const both = togglePage(other, page);
    expect(countSelected(both, 243)).toBe(5);
    expect(countSelected(togglePage(both, page), 243)).toBe(1);
    expect(pageState(both, page)).toBe("all");
  });
});
