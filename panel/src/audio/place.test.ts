import { expect, it } from "vitest";
import { toEar } from "./place";

const at = (heading: number, x: number, y: number, z = 0) => {
  const p = toEar({ x: 100, y: 200, z: 30, heading }, { id: 1, x: 100 + x, y: 200 + y, z: 30 + z });
  return [p.x, p.y, p.z].map((v) => Math.round(v * 1000) / 1000 + 0);
};

it("puts what is in the north straight ahead of who looks north", () => {
  expect(at(0, 0, 10)).toEqual([0, 0, -10]);
  expect(at(0, 10, 0)).toEqual([10, 0, 0]);
  expect(at(0, 0, 0, 3)).toEqual([0, 3, 0]);
});

it("turns against the clock, as the game's headings do", () => {
  // Heading 90 looks west: the north is on the right, the east behind.
  expect(at(90, 0, 10)).toEqual([10, 0, 0]);
  expect(at(90, 10, 0)).toEqual([0, 0, 10]);
  expect(at(180, 0, 10)).toEqual([0, 0, 10]);
  expect(at(270, 10, 0)).toEqual([0, 0, -10]);
});
