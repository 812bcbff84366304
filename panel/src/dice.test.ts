import { expect, test } from "vitest";
import { Dice } from "./dice";

const throws = (seed: number): number[] => {
  const dice = new Dice(seed);
  return Array.from({ length: 10_000 }, () => dice.between(2, 4));
};

test("the same seed throws the same, another one does not", () => {
  expect(throws(5)).toEqual(throws(5));
  expect(throws(5)).not.toEqual(throws(6));
});

test("throws cover the whole range", () => {
  const all = throws(7);
  expect(Math.min(...all)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...all)).toBeLessThan(4);
  for (let tenth = 0; tenth < 10; tenth++) {
    const inside = all.filter((v) => Math.floor((v - 2) * 5) === tenth).length;
    expect(inside).toBeGreaterThan(900);
    expect(inside).toBeLessThan(1_100);
  }
});

test("every element is picked at some point, and none from an empty list", () => {
  const dice = new Dice(1);
  expect(new Set(Array.from({ length: 100 }, () => dice.pick(["a", "b", "c"])))).toEqual(new Set(["a", "b", "c"]));
  expect(dice.pick([])).toBeUndefined();
});
