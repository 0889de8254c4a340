import { expect, it } from "vitest";
import { type Clock, fakeClock, steadyClock } from ".";

it("a steady clock goes on evenly when the wall clock jumps, and translates times people read", async () => {
  const fake = fakeClock(1_000);
  let jump = 0;
  const clock: Clock = { ...fake, now: () => fake.now() + jump };
  const steady = steadyClock(clock);
  expect(steady.now()).toBe(1_000);
  jump = 3_600_000;
  await fake.advance(500);
  expect(steady.now()).toBe(1_500);
  expect(steady.toWall(2_000)).toBe(3_602_000);
  expect(steady.fromWall(3_602_000)).toBe(2_000);
});
