import { expect, test } from "vitest";
import { Clock } from "./clock";

function clock(): { clock: Clock; pass(ms: number): void } {
  let computer = 500;
  return { clock: new Clock(1_000_000, () => computer), pass: (ms) => (computer += ms) };
}

test("the clock runs at the set speed from where it is", () => {
  const { clock: c, pass } = clock();
  pass(1_000);
  expect(c.now()).toBe(1_001_000);
  c.setRate(10);
  expect(c.now()).toBe(1_001_000);
  pass(100);
  expect(c.now()).toBe(1_002_000);
  c.setRate(0);
  pass(60_000);
  expect(c.now()).toBe(1_002_000);
  c.setRate(1);
  pass(5);
  expect(c.now()).toBe(1_002_005);
});

test("it jumps forward, never back", () => {
  const { clock: c, pass } = clock();
  c.setRate(0);
  c.jump(1_030_000);
  expect(c.now()).toBe(1_030_000);
  c.jump(1_000_000);
  expect(c.now()).toBe(1_030_000);
  c.setRate(2);
  pass(10);
  expect(c.now()).toBe(1_030_020);
});
