import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventEntry, PassEntry, RevisionEntry } from "@/lib/api/contract";
import { countTypes, failingNow, foldPasses, mergeTimeline } from "./timeline";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

function pass(id: number, fields: Partial<PassEntry> = {}): PassEntry {
  return {
    id: String(id),
    startedAt: at(id),
    durationMs: 5,
    trigger: "resync",
    outcome: "converged",
    reason: "Converged",
    message: "",
    attempt: 1,
    generation: 1,
    actions: [],
    ...fields,
  };
}
const failed = (id: number, message = "connect ECONNREFUSED") => pass(id, { outcome: "failed", reason: "Unreachable", message });
const acted = (id: number, message: string) =>
  pass(id, { outcome: "corrected", actions: [{ type: "start", effect: "create", target: `process ${id}`, message, outcome: "done" }] });
const revision = (generation: number, second: number): RevisionEntry => ({
  generation,
  at: at(second),
  author: "ana@example.org",
  message: "More",
  spec: {},
  diff: [],
});
const event = (second: number, reason: string, message: string): EventEntry => ({
  at: at(second),
  firstAt: at(second),
  type: "Normal",
  reason,
  message,
  count: 1,
  generation: 1,
});

describe("the timeline of one object", () => {
  it("puts edits, passes, events and the operator's hand in one order, newest first", () => {
    const entries = mergeTimeline({
      revisions: [revision(1, 1), revision(2, 20)],
      passes: [acted(3, "started"), failed(22)],
      events: [event(10, "Paused", "ana: migration"), event(11, "Adopted", "took it over")],
    });
    expect(entries.map((entry) => entry.type)).toEqual(["error", "edit", "event", "control", "pass", "edit"]);
  });

  it("shows an edit below the pass that it caused when both carry the same instant", () => {
    const entries = mergeTimeline({ revisions: [revision(1, 5)], passes: [acted(5, "started")], events: [] });
    expect(entries.map((entry) => entry.type)).toEqual(["pass", "edit"]);
  });

  it("leaves out an event that only repeats what a pass says, and keeps every other", () => {
    const entries = mergeTimeline({
      revisions: [],
      passes: [acted(5, "Start process web-1.")],
      events: [event(5, "Started", "Start process web-1."), event(6, "Adopted", "took it over")],
    });
    expect(entries.filter((entry) => entry.type === "event")).toHaveLength(1);
  });

  it("tells of the pause in force once, with or without an event about it", () => {
    const control = { mode: "Auto" as const, deletionPolicy: "Delete" as const, paused: { by: "ana", reason: "migration", since: at(9) } };
    const without = mergeTimeline({ revisions: [], passes: [], events: [], control });
    const withEvent = mergeTimeline({ revisions: [], passes: [], events: [event(9, "Paused", "ana: migration")], control });
    expect(countTypes(without).control).toBe(1);
    expect(countTypes(withEvent).control).toBe(1);
  });
});

describe("a pause", () => {
  const held = pass(9, { outcome: "withheld", reason: "Paused", message: "Paused by ana: migration" });
  it("that a pass met is told once, as the operator's hand", () => {
    const control = { mode: "Auto" as const, deletionPolicy: "Delete" as const, paused: { by: "ana", reason: "migration", since: at(8) } };
    const events = [event(9, "Paused", "Paused by ana: migration")];
    const entries = mergeTimeline({ revisions: [], passes: [held], events, control });
    expect(entries.map((entry) => entry.type)).toEqual(["control"]);
  });
});

describe("folding of passes", () => {
  it("squashes passes in a row that found nothing to do", () => {
    const [entry] = foldPasses([pass(1), pass(2), pass(3)]);
    expect(entry).toMatchObject({ type: "pass", quiet: [{ id: "3" }, { id: "2" }, { id: "1" }] });
  });

  it("keeps every attempt of a repeated failure under the newest one", () => {
    const [entry] = foldPasses([failed(1), failed(2), failed(3)]);
    expect(entry).toMatchObject({ type: "error", pass: { id: "3" }, earlier: [{ id: "2" }, { id: "1" }] });
  });

  it("never folds two different errors into one", () => {
    expect(foldPasses([failed(1), failed(2, "password authentication failed")])).toHaveLength(2);
  });

  it("never folds passes that changed something", () => {
    expect(foldPasses([acted(1, "a"), acted(2, "a")])).toHaveLength(2);
  });

  it("loses no pass and keeps the order, whatever the mix", () => {
    const kinds = fc.constantFrom("quiet", "failed", "acted");
    fc.assert(
      fc.property(fc.array(kinds, { maxLength: 50 }), (mix) => {
        const passes = mix.map((kind, id) => (kind === "quiet" ? pass(id) : kind === "failed" ? failed(id) : acted(id, "x")));
        const ids = foldPasses(passes).flatMap((entry) =>
          "quiet" in entry ? entry.quiet.map((p) => p.id) : "pass" in entry ? [entry.pass, ...entry.earlier].map((p) => p.id) : [],
        );
        expect(ids).toEqual(passes.map((p) => p.id).reverse());
      }),
    );
  });
});

describe("what fails now", () => {
  it("is the newest pass when it failed", () => {
    const entries = mergeTimeline({ revisions: [revision(1, 50)], passes: [acted(1, "a"), failed(2)], events: [] });
    expect(failingNow(entries)?.pass.id).toBe("2");
  });

  it("is nothing once a later pass succeeded", () => {
    expect(failingNow(mergeTimeline({ revisions: [], passes: [failed(1), pass(2)], events: [] }))).toBeUndefined();
  });
});
