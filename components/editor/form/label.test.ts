import { expect, it } from "vitest";
import { sentenceOf } from "./label";

it("a message is told as a sentence, and what it names stays as it is written", () => {
  expect(sentenceOf("must be a number")).toBe("Must be a number.");
  expect(sentenceOf("Required.")).toBe("Required.");
  expect(sentenceOf("required")).toBe("Required.");
  expect(sentenceOf("file:vm:etc/motd belongs to ConfigFile default/motd")).toBe("file:vm:etc/motd belongs to ConfigFile default/motd.");
});
