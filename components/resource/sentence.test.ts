import { expect, it } from "vitest";
import { cutAtTimes } from "./sentence";

it("cuts a sentence at its times and loses nothing of it", () => {
  const sentence = "Unreachable: no answer. Next attempt 2026-01-01T10:00:00.000Z.";
  const parts = cutAtTimes(sentence);
  expect(parts).toEqual([{ text: "Unreachable: no answer. Next attempt " }, { time: "2026-01-01T10:00:00.000Z" }, { text: "." }]);
  expect(parts.map((part) => ("time" in part ? part.time : part.text)).join("")).toBe(sentence);
});

it("leaves a sentence without times whole", () => {
  expect(cutAtTimes("dry-run: the plan is shown")).toEqual([{ text: "dry-run: the plan is shown" }]);
});
