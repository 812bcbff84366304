import { expect, it } from "vitest";
import { stepped } from "./grid";

// Ten cards in rows of four: 0 1 2 3 / 4 5 6 7 / 8 9
const step = (at: number, ...ways: Parameters<typeof stepped>[3][]): number => ways.reduce((from, way) => stepped(from, 10, 4, way), at);

it("goes on in the next row at the end of one", () => {
  expect(step(3, "right")).toBe(4);
  expect(step(4, "left")).toBe(3);
});

it("goes up and down in a column, and into a shorter last row", () => {
  expect(step(1, "down")).toBe(5);
  expect(step(5, "down")).toBe(9);
  expect(step(7, "down")).toBe(9);
  expect(step(9, "up")).toBe(5);
});

it("stays at the edges", () => {
  expect(step(0, "left")).toBe(0);
  expect(step(2, "up")).toBe(2);
  expect(step(9, "right")).toBe(9);
  expect(step(8, "down")).toBe(8);
});

it("knows the ends, and a beginning", () => {
  expect(step(5, "first")).toBe(0);
  expect(step(5, "last")).toBe(9);
  expect(step(-1, "down")).toBe(0);
  expect(stepped(-1, 0, 4, "right")).toBe(-1);
});
